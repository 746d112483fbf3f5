// The composed system as a drawing: Graphviz, or SVG by its program `dot`.
#pragma once

#include "model/config.h"

#include <filesystem>
#include <string>

namespace rnicsim::runner {

/// In the DOT language: hosts, RNICs with their blocks, PCIe links, wire. Blocks in Verilog stand out.
std::string system_graph(const std::string& title, const RunConfig& config);

/// `file` ends with .dot or .svg. Throws ScenarioError if it cannot be made.
void draw_system(const std::filesystem::path& file, const std::string& title, const RunConfig& config);

}  // namespace rnicsim::runner
