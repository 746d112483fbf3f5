// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/axis_reader.h"

#include <algorithm>
#include <set>

#include "testbench/scenario/document.h"
#include "testbench/scenario/range.h"

namespace rnicsim {
namespace {

constexpr const char* kRangeExample = "{from: 0 %, to: 10 %, step: 1 %}";
constexpr const char* kOption = "--axis";

void check_keys(const std::string& where, const std::string& path, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
        // Results have a row for every method and as many repetitions at every point.
        if (key == "run.repetitions" || key == "run.methods" || key == "run.variants") {
            reject(where, path, "'" + key + "' cannot be swept, every point has the same");
        }
        if (find_key(key) == nullptr) {
            std::vector<std::string> all;
            for (const Key& known : all_keys()) all.emplace_back(known.path);
            reject(where, path, "'" + key + "' cannot be swept" + suggestion(key, all));
        }
    }
}

void add_position(ParsedAxis& axis, std::string text, std::vector<Value> values, const std::string& where,
                  const std::string& path) {
    if (std::ranges::find(axis.texts, text) != axis.texts.end()) {
        reject(where, path, "'" + text + "' is given twice, expected different values");
    }
    axis.texts.push_back(std::move(text));
    axis.values.push_back(std::move(values));
}

/// One item of the list: a value for all keys, or a row with a value for each.
void read_item(const NodeReader& in, const std::string& path, const YAML::Node& item, ParsedAxis& axis) {
    std::vector<Value> values;
    std::string text;
    if (item.IsSequence() && axis.keys.size() > 1) {
        if (item.size() != axis.keys.size()) {
            std::string expected;
            for (const std::string& key : axis.keys) expected += (expected.empty() ? "" : ", ") + key;
            reject(in.where(item), path,
                   "found a row of " + std::to_string(item.size()) + ", expected a value for each of the " +
                       std::to_string(axis.keys.size()) + " keys: " + expected);
        }
        for (std::size_t k = 0; k < axis.keys.size(); ++k) {
            values.push_back(in.value(*find_key(axis.keys[k]), axis.keys[k], item[k]));
            text += (k == 0 ? "" : ", ") + values.back().text;
        }
    } else {
        for (const std::string& key : axis.keys) values.push_back(in.value(*find_key(key), key, item));
        text = values.front().text;
    }
    add_position(axis, std::move(text), std::move(values), in.where(item), path);
}

/// The three nodes of a range, which may be the file's or made from an option.
void read_range(const NodeReader& in, const std::string& path, const YAML::Node& node, ParsedAxis& axis) {
    const std::vector<std::string> members(kRangeMembers.begin(), kRangeMembers.end());
    for (const auto& pair : node) {
        const std::string name = pair.first.Scalar();
        if (std::ranges::find(members, name) == members.end()) {
            reject(in.where(pair.first), path + '.' + name, "unknown key" + suggestion(name, members));
        }
    }
    std::array<std::string, 3> texts;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const YAML::Node part = node[members[i]];
        if (!part || part.IsNull()) {
            reject(in.where(node), path, "no '" + members[i] + "', expected a range such as " + kRangeExample);
        }
        if (!part.IsScalar()) {
            reject(in.where(part), path + '.' + members[i], "found " + shown(part) + ", expected a single value");
        }
        texts[i] = part.Scalar();
    }
    for (const std::string& key : axis.keys) {
        if (has_ranges(*find_key(key))) continue;
        reject(in.where(node), path, "found a range, but '" + key + "' is no number; expected a list of its values");
    }
    std::vector<std::string> values;
    if (const auto fault = expand_range(*find_key(axis.keys.front()), texts, values)) {
        const std::string& member = members[fault->member];
        reject(in.where(node[member]), path + '.' + member, fault->what);
    }
    for (const std::string& value : values) {
        std::vector<Value> row;
        for (const std::string& key : axis.keys) {
            Value& checked = row.emplace_back();
            std::string expected;
            if (!read_value(*find_key(key), value, checked, expected)) {
                reject(in.where(node), key, "found '" + value + "' in the range, expected " + expected);
            }
        }
        add_position(axis, value, std::move(row), in.where(node), path);
    }
}

void read_values(const NodeReader& in, const std::string& path, const YAML::Node& node, ParsedAxis& axis) {
    if (node.IsMap()) return read_range(in, path, node, axis);
    if (!node.IsSequence()) {
        reject(in.where(node), path,
               "found " + shown(node) + ", expected a list such as [0 %, 1 %] or a range such as " + kRangeExample);
    }
    for (const YAML::Node& item : node) read_item(in, path, item, axis);
}

ParsedAxis read_axis(const NodeReader& in, const std::string& path, const YAML::Node& node) {
    if (!node.IsMap()) reject(in.where(node), path, "found " + shown(node) + ", expected an axis: keys and values");
    ParsedAxis axis;
    axis.where = in.where(node);
    std::set<std::string> seen;
    for (const auto& pair : node) {
        const std::string name = pair.first.Scalar();
        if (!seen.insert(name).second) {
            reject(in.where(pair.first), path + '.' + name, "given twice, expected once");
        }
        if (name == "name") {
            if (!pair.second.IsScalar()) reject(in.where(pair.second), path + ".name", "expected a name");
            axis.name = pair.second.Scalar();
            if (std::ranges::any_of(axis.name, is_control)) {
                reject(in.where(pair.second), path + ".name",
                       "found " + shown(pair.second) + ", expected one line of text");
            }
        } else if (name == "keys") {
            for (const std::string& key : in.scalars(path + ".keys", pair.second))
                axis.keys.push_back(in.named_now(key, in.where(pair.second)));
        } else if (name != "values") {
            reject(in.where(pair.first), path + '.' + name,
                   "unknown key" + suggestion(name, {"name", "keys", "values"}));
        }
    }
    if (axis.keys.empty()) reject(axis.where, path, "no keys, expected a list such as [system.link.loss]");
    check_keys(axis.where, path + ".keys", axis.keys);
    if (axis.name.empty()) axis.name = axis.keys.front().substr(axis.keys.front().rfind('.') + 1);
    if (seen.contains("values")) read_values(in, path + ".values", node["values"], axis);
    if (axis.texts.empty()) reject(axis.where, path, "no values, expected a list such as [0 %, 1 %]");
    return axis;
}

/// "0 %..10 %:1 %" as the map that stands in a file; "0 %, 1 %" as its list.
YAML::Node option_values(const AxisOption& option) {
    const std::string name = option.name();
    const std::size_t dots = option.values.find("..");
    const std::size_t colon = option.values.rfind(':');
    if (dots != std::string::npos) {
        if (colon == std::string::npos || colon < dots) {
            reject(kOption, name, "found '" + option.values + "', expected a range such as 0 %..10 %:1 %");
        }
        const std::array<std::string, 3> texts{option.values.substr(0, dots),
                                               option.values.substr(dots + 2, colon - dots - 2),
                                               option.values.substr(colon + 1)};
        YAML::Node range;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::size_t first = texts[i].find_first_not_of(' ');
            const std::size_t last = texts[i].find_last_not_of(' ');
            range[kRangeMembers[i]] = first == std::string::npos ? "" : texts[i].substr(first, last + 1 - first);
        }
        return range;
    }
    int depth = 0;
    for (const char c : option.values) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth < 0) break;
    }
    try {
        if (depth == 0) return read_document(NodeReader(kOption), '[' + option.values + ']');
    } catch (const YAML::Exception&) {}  // reported below
    reject(kOption, name, "found '" + option.values + "', expected values with commas between them");
}

ParsedAxis read_option(const NodeReader& in, const AxisOption& option) {
    ParsedAxis axis;
    for (const std::string& key : option.keys) axis.keys.push_back(in.named_now(key, kOption));
    axis.name = option.name();
    axis.where = kOption;
    check_keys(kOption, axis.name, axis.keys);
    read_values(in, axis.name, option_values(option), axis);
    if (axis.texts.empty()) reject(kOption, axis.name, "no values, expected KEY=V1,V2,...");
    return axis;
}

/// Adds an axis, unless another one has its name or one of its keys.
void append(std::vector<ParsedAxis>& axes, ParsedAxis axis, const std::string& path) {
    std::set<std::string> keys;
    for (const ParsedAxis& other : axes) {
        keys.insert(other.keys.begin(), other.keys.end());
        if (other.name == axis.name) {
            reject(axis.where, path, "two axes are called '" + axis.name + "', expected different names");
        }
    }
    for (const std::string& key : axis.keys) {
        if (!keys.insert(key).second) reject(axis.where, path, "'" + key + "' is on two axes, expected one");
    }
    axes.push_back(std::move(axis));
}

}  // namespace

std::vector<ParsedAxis> read_sweep(const NodeReader& in, const std::string& path, const YAML::Node& node) {
    std::vector<ParsedAxis> axes;
    if (node.IsNull()) return axes;  // --set run.sweep=null
    if (!node.IsSequence() || node.size() == 0) {
        reject(in.where(node), path,
               "found " + (node.IsSequence() ? "an empty list" : shown(node)) +
                   ", expected a list of axes, each with keys and values");
    }
    for (std::size_t i = 0; i < node.size(); ++i) {
        append(axes, read_axis(in, path + '[' + std::to_string(i) + ']', node[i]), path);
    }
    return axes;
}

void add_axis_options(const std::vector<AxisOption>& options, ParsedScenario& parsed) {
    std::vector<ParsedAxis>& axes = parsed.axes;
    const NodeReader in(kOption, &parsed.warnings);
    const auto of_the_scenario = static_cast<std::ptrdiff_t>(axes.size());
    for (const AxisOption& option : options) append(axes, read_option(in, option), option.name());
    std::rotate(axes.begin(), axes.begin() + of_the_scenario, axes.end());
}

}  // namespace rnicsim
