// What has to hold across the keys of a scenario.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

#include <array>

namespace rnicsim {

/// Throws ScenarioError at the first rule that a run's configuration breaks, with the place of the key that was
/// written. `ends`, `common`: where the configuration is from.
void check_rules(const RunConfig& config, std::array<Lookup, 2>& ends, Lookup& common);

}  // namespace rnicsim
