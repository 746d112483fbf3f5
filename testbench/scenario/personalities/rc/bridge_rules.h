// SPDX-License-Identifier: Apache-2.0
// What has to hold for bridges between hosts.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError: only hosts with a RoCEv2 RNIC have ports beside their card's, and something goes over each.
void check_bridges(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
