// Ends that cannot talk: what no transfer survives, whatever the seed, so far as a scenario shows it.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

#include <array>

namespace rnicsim {

/// Throws ScenarioError if every transfer of this run would fail, with the place of the key that was written. What
/// only a simulation shows is told by its end (runner/hopeless.h). `ends`, `common`: where the configuration is from.
void check_ends_talk(const RunConfig& config, std::array<Lookup, 2>& ends, Lookup& common);

}  // namespace rnicsim
