// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario file, with options: a Scenario or a ScenarioError of one line, nothing else. An accepted
// scenario, once resolved, is accepted again with the same meaning. Lines that begin with "--set " or "--axis " are
// options, the others the file.
#include "testbench/cli/axes.h"
#include "testbench/scenario/reader.h"
#include "testbench/tests/fuzz/fuzz.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <algorithm>

namespace rnicsim::fuzz {
namespace {

struct Input {
    std::string file;
    std::vector<Override> overrides;
    std::vector<AxisOption> axes;
};

/// Throws ScenarioError, like the command line.
Input split(std::string_view text) {
    constexpr std::string_view kSet = "--set ";
    constexpr std::string_view kAxis = "--axis ";
    Input input;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.starts_with(kSet)) {
            input.overrides.push_back(runner::parse_override(line.substr(kSet.size())));
        } else if (line.starts_with(kAxis)) {
            input.axes.push_back(runner::parse_axis(line.substr(kAxis.size())));
        } else {
            input.file.append(line).append(line.size() < text.size() ? "\n" : "");
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return input;
}

/// Limit of points: larger sweeps are only read, or one input would take seconds.
bool has_few_points(const ParsedScenario& parsed) {
    constexpr std::size_t kFew = 32;
    std::size_t points = 1;
    for (const ParsedAxis& axis : parsed.axes) points = std::min(points * axis.texts.size(), kFew + 1);
    return points <= kFew;
}

void check_resolved(const Scenario& scenario) {
    require(!scenario.variants.names.empty() && scenario.repetitions > 0, "there is something to run");
    const Scenario again = ScenarioFile(scenario.resolved).load();
    require_equal(again.resolved, scenario.resolved, "what was resolved is resolved already");
    require_equal(again.composition, scenario.composition, "the same system");
    require(again.variants.names == scenario.variants.names && again.repetitions == scenario.repetitions,
            "the same runs");
    require(again.points.size() == scenario.points.size(), "the same number of points");
    for (std::size_t i = 0; i < again.points.size(); ++i) {
        require(again.points[i].values.size() == scenario.points[i].values.size(), "the same axes");
        require(again.points[i].configs.front().seed == scenario.points[i].configs.front().seed, "the same seed");
    }
}

void check(std::string_view text) {
    try {
        const Input input = split(text);
        const ScenarioFile file(input.file);
        if (!has_few_points(read_scenario(file.path(), input.overrides, input.axes))) return;
        check_resolved(file.load(input.overrides, input.axes));
    } catch (const ScenarioError& error) { require_one_line(error.what()); }
}

}  // namespace
}  // namespace rnicsim::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    rnicsim::fuzz::check(rnicsim::fuzz::as_text({data, size}));
    return 0;
}
