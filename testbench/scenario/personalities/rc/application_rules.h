// SPDX-License-Identifier: Apache-2.0
// Items of applications between RoCEv2 RNICs: what goes together.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError.
void check_applications(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
