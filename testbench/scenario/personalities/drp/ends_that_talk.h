// SPDX-License-Identifier: Apache-2.0
// Settings with which no transfer can succeed, whatever the seed.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError, with the place of the key, if every transfer would fail. What only a simulation shows is
/// reported after it (results/hopeless.h). `in`: where the configuration is from.
void check_ends_talk(const RunConfig& config, Lookups& in);

}  // namespace rnicsim
