// SPDX-License-Identifier: Apache-2.0
// Reads what a network consists of: system.hosts, system.switches, system.links, run.traffic.
#pragma once

#include "testbench/scenario/network_plan.h"
#include "testbench/scenario/node_reader.h"

#include <functional>
#include <string>
#include <utility>

namespace rnicsim {

class NetworkReader {
  public:
    /// Reads the value of a key, or a section, at a path of an item.
    using Entry = std::function<void(const std::string& path, const YAML::Node& key, const YAML::Node& value)>;
    NetworkReader(const NodeReader& in, NetworkPlan& plan, Entry entry)
        : in_(in), plan_(plan), entry_(std::move(entry)) {}

    /// Is it one of the four sections?
    static bool reads(const std::string& path);
    /// Throws ScenarioError.
    void read(const std::string& path, const YAML::Node& node);

  private:
    void named(const std::string& path, const YAML::Node& node, bool of_hosts);
    void joins(const std::string& path, const YAML::Node& node, std::vector<NetworkPlan::LinkItem>& items,
               const char* example);
    void traffic(const std::string& path, const YAML::Node& node);
    void keys(const std::string& path, const YAML::Node& node, const std::vector<std::string>& but);
    [[nodiscard]] std::string text(const std::string& path, const YAML::Node& node, const char* key,
                                   const char* example) const;
    void check_list(const std::string& path, const YAML::Node& node, const char* example) const;

    const NodeReader& in_;
    NetworkPlan& plan_;
    Entry entry_;
};

}  // namespace rnicsim
