// SPDX-License-Identifier: Apache-2.0
// Rules about hosts with RoCEv2 RNICs and their messages.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError.
void check_verbs(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
