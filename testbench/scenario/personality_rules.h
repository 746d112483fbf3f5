// Rules about what hosts have: DRP RNICs, RoCEv2 RNICs, or a MAC only.
#pragma once

#include "model/config.h"
#include "testbench/scenario/lookup.h"

namespace rnicsim {

/// Throws ScenarioError where an item joins unlike hosts, or a value is of another personality than its host.
void check_personalities(const RunConfig& config, Lookups& in, const ParsedValues& values);

}  // namespace rnicsim
