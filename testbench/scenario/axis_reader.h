// SPDX-License-Identifier: Apache-2.0
// Sweep axes, from `run.sweep` of a scenario and from the option --axis.
#pragma once

#include <string>
#include <vector>

#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/reader.h"

namespace rnicsim {

/// The axes of `run.sweep`. Throws ScenarioError.
std::vector<ParsedAxis> read_sweep(const NodeReader& in, const std::string& path, const YAML::Node& node);

/// Puts the axes of the options in front of those of the scenario. Throws ScenarioError.
void add_axis_options(const std::vector<AxisOption>& options, ParsedScenario& parsed);

}  // namespace rnicsim
