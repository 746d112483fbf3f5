// SPDX-License-Identifier: Apache-2.0
// YAML nodes as scenarios use them: where they stand, and the values that they hold. Only for the reader's own sources.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "testbench/scenario/reader.h"

namespace rnicsim {

/// A node in a message: its text in quotes, or what kind of node it is.
std::string shown(const YAML::Node& node);

/// "; did you mean 'x'?", or nothing.
std::string suggestion(const std::string& wrong, const std::vector<std::string>& candidates);

/// Nodes of one source: a file, or the text of one option.
class NodeReader {
  public:
    /// `warnings`: where old names of keys are told; not owned, nullptr: nowhere.
    explicit NodeReader(std::string source, std::vector<std::string>* warnings = nullptr)
        : source_(std::move(source)), warnings_(warnings) {}

    /// "file:line:column", or the option's name.
    [[nodiscard]] std::string where(const YAML::Node& node) const { return where(node.Mark()); }
    [[nodiscard]] std::string where(const YAML::Mark& mark) const;

    /// The texts of a list of single values. Throws ScenarioError, as below.
    [[nodiscard]] std::vector<std::string> scalars(const std::string& path, const YAML::Node& node) const;

    /// The value of a key, checked.
    [[nodiscard]] Value value(const Key& key, const std::string& path, const YAML::Node& node) const;

    /// The path of a key as it is called now; `where` it stands.
    [[nodiscard]] std::string named_now(const std::string& path, const std::string& where) const;

  private:
    std::string source_;
    std::vector<std::string>* warnings_;
};

}  // namespace rnicsim
