// SPDX-License-Identifier: Apache-2.0
// What has to hold where a network has plain hosts.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError at the first rule that is broken. `values`: as they were written.
void check_plain_hosts(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
