// SPDX-License-Identifier: Apache-2.0
// What has to hold across the keys of a scenario.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError at the first rule that a run's configuration breaks, with the place of the key that was
/// written. `in`: where the configuration is from.
void check_rules(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
