// Ends that cannot talk: what no transfer survives, whatever the seed, so far as a scenario shows it.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

#include <array>
#include <span>

namespace rnicsim {

/// Throws ScenarioError if with one of the methods every transfer would fail, with the place of the key that was
/// written. What only a simulation shows is told by its end (results/hopeless.h). `ends`, `common`: where the
/// configuration is from.
void check_ends_talk(const RunConfig& config, std::span<const Method> methods, std::array<Lookup, 2>& ends,
                     Lookup& common);

}  // namespace rnicsim
