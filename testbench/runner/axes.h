// `--axis key=v1,v2`: a sweep axis from the command line, on top of those that the scenario has.
#pragma once

#include "testbench/scenario/scenario.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::runner {

struct Axis {
    std::string key;
    std::vector<std::string> values;
};

/// "key=value" of --set. Throws ScenarioError.
Override parse_override(std::string_view text);

/// "key=v1,v2,..." of --axis; commas inside brackets do not separate. Throws ScenarioError.
Axis parse_axis(std::string_view text);

/// Loads the scenario once for every combination of the axes' values, the first axis slowest, and joins the points.
Scenario load_scenario_with_axes(const std::filesystem::path& file, const std::vector<Override>& overrides,
                                 const std::vector<Axis>& axes);

}  // namespace rnicsim::runner
