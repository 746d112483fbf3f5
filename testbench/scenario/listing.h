// SPDX-License-Identifier: Apache-2.0
// Scenarios written as canonical YAML: a key a line, sections opened and closed as the paths of the keys ask for.
#pragma once

#include "testbench/scenario/reader.h"
#include "testbench/scenario/schema.h"

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace rnicsim {

class Listing {
  public:
    Listing() { out_ << YAML::BeginMap; }

    /// `path`: that of `key`, or the same of one end. Paths of one section come one after the other.
    void key(const std::string& path, const Key& key, const std::string& value);
    /// In place of its value.
    void remark(const std::string& path, const std::string& text);
    void list(const std::string& path, const std::vector<std::string>& items);
    void sweep(const std::string& path, const std::vector<ParsedAxis>& axes);
    /// A section or a list as it is, each of its items on a line.
    void node(const std::string& path, const YAML::Node& node);
    /// Ends it.
    [[nodiscard]] std::string text();

  private:
    void name(const std::string& path);
    void close(std::size_t depth);

    YAML::Emitter out_;
    std::vector<std::string> open_;  // sections, the outermost first
};

}  // namespace rnicsim
