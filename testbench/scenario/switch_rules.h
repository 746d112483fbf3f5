// SPDX-License-Identifier: Apache-2.0
// What has to hold for the switches of a network.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError at the first rule that is broken.
void check_switches(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
