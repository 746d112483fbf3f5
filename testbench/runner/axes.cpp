#include "testbench/runner/axes.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rnicsim::runner {
namespace {

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

bool sweeps(const Scenario& scenario, const std::string& key) {
    const auto& values = scenario.points.front().values;
    return std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.first == key; });
}

/// Loads with the axes from `depth` on; `overrides` holds the values of those before.
Scenario load(const std::filesystem::path& file, const std::vector<Override>& overrides, const std::vector<Axis>& axes,
              const std::size_t depth) {
    if (depth == axes.size()) return load_scenario(file, overrides);
    const Axis& axis = axes[depth];
    Scenario joined;
    for (const std::string& value : axis.values) {
        std::vector<Override> with_value = overrides;
        with_value.emplace_back(axis.key, value);
        Scenario part = load(file, with_value, axes, depth + 1);
        if (!part.points.empty() && sweeps(part, axis.key)) {
            throw ScenarioError("--axis " + axis.key + ": the scenario or another --axis sweeps this key already");
        }
        for (SweepPoint& point : part.points) point.values.emplace(point.values.begin(), axis.key, value);
        if (value == axis.values.front()) {
            joined = std::move(part);
            continue;
        }
        if (part.methods != joined.methods || part.repetitions != joined.repetitions) {
            throw ScenarioError("--axis " + axis.key + ": methods and repetitions must be the same at every point");
        }
        joined.points.insert(joined.points.end(), std::make_move_iterator(part.points.begin()),
                             std::make_move_iterator(part.points.end()));
    }
    return joined;
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

Axis parse_axis(const std::string_view text) {
    const auto [key, list] = [&] {
        try {
            return parse_override(text);
        } catch (const ScenarioError&) { return Override{}; }
    }();
    Axis axis{key, {}};
    std::string value;
    int depth = 0;
    for (const char c : list + ",") {
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (c != ',' || depth > 0) {
            value += c;
            continue;
        }
        axis.values.push_back(trimmed(value));
        value.clear();
    }
    auto sorted = axis.values;
    std::sort(sorted.begin(), sorted.end());
    const bool repeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    const bool blank = std::any_of(axis.values.begin(), axis.values.end(), [](const auto& v) { return v.empty(); });
    if (key.empty() || axis.values.empty() || blank || repeated || depth != 0) {
        throw ScenarioError("--axis " + std::string(text) + ": expected key=value1,value2,... without repeated values");
    }
    return axis;
}

Scenario load_scenario_with_axes(const std::filesystem::path& file, const std::vector<Override>& overrides,
                                 const std::vector<Axis>& axes) {
    return load(file, overrides, axes, 0);
}

}  // namespace rnicsim::runner
