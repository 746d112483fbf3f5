// SPDX-License-Identifier: Apache-2.0
// The composed system as a drawing: Graphviz, or SVG by its program `dot`.
#pragma once

#include "testbench/scenario/scenario.h"

#include <filesystem>
#include <string>

namespace rnicsim::runner {

/// In the DOT language: hosts, RNICs with their blocks, PCIe links, wire; of all points and methods. Blocks in Verilog
/// stand out, what is swept is shown as its values or their range.
std::string system_graph(const Scenario& scenario);

/// `file` ends with .dot or .svg. Throws ScenarioError if it cannot be made.
void draw_system(const std::filesystem::path& file, const Scenario& scenario);

}  // namespace rnicsim::runner
