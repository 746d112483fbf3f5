// SPDX-License-Identifier: Apache-2.0
// What a network consists of, as it was written: names, and what joins them. Values of keys stand beside it, by path.
#pragma once

#include "model/config.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rnicsim {

struct ParsedValue;
class Personality;

struct NetworkPlan {
    struct Item {
        std::string name;
        std::string where;
    };
    struct LinkItem : Item {
        std::array<std::string, 2> between;  ///< hosts, groups or switches
        bool named = false;                  ///< in the file, not by what it joins
    };
    struct TrafficItem : Item {
        std::string from, to;  ///< hosts or groups
    };
    std::vector<Item> hosts;    ///< a group, where it has a count
    std::vector<Item> members;  ///< of groups, with values of their own: "client3"
    std::vector<Item> switches;
    std::vector<LinkItem> links;
    std::vector<LinkItem> bridges;
    std::vector<Item> links_of_members;  ///< the same: "client3-s0"
    std::vector<TrafficItem> traffic;

    /// Is the scenario one of a network at all?
    [[nodiscard]] bool present() const { return !hosts.empty(); }
};

/// A network of one point: groups have become hosts, links of groups a link for each.
struct Network {
    struct Host {
        std::string name, group;  ///< group: its own name, if it has none
        std::string where;        ///< in the scenario
        const Personality* personality = nullptr;
    };
    struct Link {
        std::string name, group, where;
        std::array<Node, 2> between;
    };
    struct Bridge {
        std::string name, where;
        std::array<unsigned, 2> between{};  ///< hosts
    };
    struct Traffic {
        std::string name, where;
        std::vector<unsigned> from, to;
    };
    std::vector<Host> hosts;  ///< as they are written
    std::vector<std::string> switches;
    std::vector<Link> links;
    std::vector<Bridge> bridges;
    std::vector<Traffic> traffic;
};

/// Throws ScenarioError if a name is unknown or used twice. `file`: for messages about what is missing.
Network expand(const NetworkPlan& plan, const std::map<std::string, ParsedValue>& values, const std::string& file);

/// Throws ScenarioError if a value is of an item that this network does not have.
void check_items_exist(const NetworkPlan& plan, const Network& network,
                       const std::map<std::string, ParsedValue>& values);

}  // namespace rnicsim
