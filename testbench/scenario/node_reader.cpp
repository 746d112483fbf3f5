// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/node_reader.h"

#include "testbench/scenario/old_names.h"
#include "testbench/scenario/profiles.h"

#include <algorithm>

namespace rnicsim {

std::string shown(const YAML::Node& node) {
    if (node.IsNull()) return "nothing";
    if (node.IsSequence()) return "a list";
    if (node.IsMap()) return "a section";
    return "'" + node.Scalar() + "'";
}

std::string suggestion(const std::string& wrong, const std::vector<std::string>& candidates) {
    const std::string near = nearest(wrong, candidates);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string NodeReader::where(const YAML::Mark& mark) const {
    if (source_.starts_with("--") || mark.is_null()) return source_;
    return source_ + ':' + std::to_string(mark.line + 1) + ':' + std::to_string(mark.column + 1);
}

std::string NodeReader::named_now(const std::string& path, const std::string& where) const {
    std::string now = rnicsim::named_now(path);
    if (now != path && warnings_ != nullptr) warnings_->push_back(old_name_warning(where, path));
    return now;
}

std::vector<std::string> NodeReader::scalars(const std::string& path, const YAML::Node& node) const {
    if (!node.IsSequence()) reject(where(node), path, "found " + shown(node) + ", expected a list");
    std::vector<std::string> texts;
    for (const YAML::Node& item : node) {
        if (!item.IsScalar()) reject(where(item), path, "found " + shown(item) + ", expected a single value");
        texts.push_back(item.Scalar());
    }
    return texts;
}

Value NodeReader::value(const Key& key, const std::string& path, const YAML::Node& node) const {
    Value result;
    std::string expected;
    bool good = false;
    if (is_list(key.kind) && node.IsSequence()) {
        good = read_list(key, scalars(path, node), result, expected);
        if (!good) {  // the items before the wrong one have been read
            const YAML::Node item = node[result.list.size()];
            reject(where(item), path, "found " + shown(item) + " in the list, expected " + expected);
        }
    } else if (node.IsScalar()) {
        good = read_value(key, node.Scalar(), result, expected);
    } else {
        read_value(key, "", result, expected);
    }
    if (!good) {
        if (preset_of(key.path) != nullptr) expected += " (--profile FILE adds one of your own)";
        reject(where(node), path, "found " + shown(node) + ", expected " + expected);
    }
    return result;
}

}  // namespace rnicsim
