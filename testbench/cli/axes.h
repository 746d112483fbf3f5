// SPDX-License-Identifier: Apache-2.0
// The texts of --set and --axis.
#pragma once

#include "testbench/scenario/scenario.h"

#include <string_view>

namespace rnicsim::runner {

/// "key=value" of --set. Throws ScenarioError.
Override parse_override(std::string_view text);

/// "key=v1,v2,..." or "key1,key2=..." of --axis; the values are read with the scenario. Throws ScenarioError.
AxisOption parse_axis(std::string_view text);

}  // namespace rnicsim::runner
