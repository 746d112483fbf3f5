// SPDX-License-Identifier: Apache-2.0
// What has to hold in a network, beside the rules of every scenario.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError.
void check_network(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
