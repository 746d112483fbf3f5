// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/axes.h"

#include <algorithm>

namespace rnicsim::runner {
namespace {

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace

Override parse_override(const std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string key = trimmed(text.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) {
        throw ScenarioError("--set " + std::string(text) + ": expected key=value, e.g. --set simulation.seed=7");
    }
    return {key, trimmed(text.substr(equals + 1))};
}

AxisOption parse_axis(const std::string_view text) {
    const std::size_t equals = text.find('=');
    AxisOption axis;
    for (std::string_view keys = text.substr(0, equals); equals != std::string_view::npos;) {
        const std::size_t comma = keys.find(',');
        axis.keys.push_back(trimmed(keys.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        keys.remove_prefix(comma + 1);
    }
    if (equals != std::string_view::npos) axis.values = trimmed(text.substr(equals + 1));
    if (axis.values.empty() || std::ranges::any_of(axis.keys, &std::string::empty)) {
        throw ScenarioError("--axis " + std::string(text) +
                            ": expected KEY=V1,V2,... or KEY=FROM..TO:STEP, e.g. --axis system.link.loss=\"0 %,1 %\"");
    }
    return axis;
}

}  // namespace rnicsim::runner
