// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/network_plan.h"

#include "testbench/scenario/lookup.h"
#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/reader.h"

#include <algorithm>
#include <optional>

namespace rnicsim {
namespace {

/// Looks names up, in all lists at once: hosts, groups and switches share one name space.
class Names {
  public:
    explicit Names(const Network& network) : network_(network) {}

    /// The hosts of this name: one, or all of a group.
    [[nodiscard]] std::vector<unsigned> hosts(const std::string& name) const {
        std::vector<unsigned> found;
        for (unsigned i = 0; i < network_.hosts.size(); ++i) {
            const Network::Host& host = network_.hosts[i];
            if (host.name == name || host.group == name) found.push_back(i);
        }
        return found;
    }
    [[nodiscard]] std::optional<unsigned> network_switch(const std::string& name) const {
        const auto found = std::ranges::find(network_.switches, name);
        if (found == network_.switches.end()) return std::nullopt;
        return static_cast<unsigned>(found - network_.switches.begin());
    }
    [[nodiscard]] std::vector<std::string> all(bool with_switches) const {
        std::vector<std::string> names;
        for (const Network::Host& host : network_.hosts) {
            if (std::ranges::find(names, host.group) == names.end()) names.push_back(host.group);
            if (host.name != host.group) names.push_back(host.name);
        }
        if (with_switches) names.insert(names.end(), network_.switches.begin(), network_.switches.end());
        return names;
    }

  private:
    const Network& network_;
};

void add_hosts(const NetworkPlan& plan, const ParsedValues& values, Network& network) {
    for (const NetworkPlan::Item& item : plan.hosts) {
        const auto count = values.find("system.hosts." + item.name + ".count");
        if (count == values.end()) {
            network.hosts.push_back({.name = item.name, .group = item.name, .where = item.where});
            continue;
        }
        for (std::int64_t i = 0; i < count->second.value.number; ++i) {
            network.hosts.push_back({.name = item.name + std::to_string(i), .group = item.name, .where = item.where});
        }
    }
    for (Network::Host& host : network.hosts) {
        Lookup in(values, "", {"system.hosts." + host.name, "system.hosts." + host.group});
        host.personality = &personality_named(in.word("system.rnic.personality"));
    }
}

/// A name with a number is that of one of a group.
void check_members(const NetworkPlan& plan, const Network& network) {
    for (const NetworkPlan::Item& member : plan.members) {
        if (std::ranges::find(network.hosts, member.name, &Network::Host::name) != network.hosts.end()) continue;
        const std::string group = member.name.substr(0, member.name.find_first_of("0123456789"));
        const bool known = std::ranges::find(plan.hosts, group, &NetworkPlan::Item::name) != plan.hosts.end();
        reject(member.where, "system.hosts." + member.name,
               known ? "there is no '" + member.name + "' in this network" +
                           suggestion(member.name, Names(network).all(false))
                     : "expected a name of lower-case letters and '_'; numbers come from `count`, and there is no "
                       "group '" +
                           group + "'");
    }
}

/// Both ends of a link; a group at most at one of them.
struct Ends {
    std::array<std::vector<Node>, 2> nodes;
};

Ends ends_of(const NetworkPlan::LinkItem& item, const Names& names) {
    Ends ends;
    for (unsigned side = 0; side < 2; ++side) {
        const std::string& name = item.between.at(side);
        for (const unsigned host : names.hosts(name)) ends.nodes.at(side).push_back({Node::Kind::host, host});
        if (const auto found = names.network_switch(name)) {
            ends.nodes.at(side).push_back({Node::Kind::network_switch, *found});
        }
        if (ends.nodes.at(side).empty()) {
            reject(item.where, "system.links." + item.name,
                   "found '" + name + "', expected a host, a group or a switch" + suggestion(name, names.all(true)));
        }
    }
    if (ends.nodes[0].size() > 1 && ends.nodes[1].size() > 1) {
        reject(item.where, "system.links." + item.name,
               "joins two groups, '" + item.between[0] + "' and '" + item.between[1] +
                   "', expected a group at one end at most");
    }
    return ends;
}

void add_bridges(const NetworkPlan& plan, Network& network) {
    const Names names(network);
    for (const NetworkPlan::LinkItem& item : plan.bridges) {
        Network::Bridge bridge{.name = item.name, .where = item.where, .between = {}};
        for (unsigned side = 0; side < 2; ++side) {
            const std::string& name = item.between.at(side);
            const std::vector<unsigned> hosts = names.hosts(name);
            if (hosts.size() != 1) {
                reject(item.where, "system.bridges." + item.name,
                       "found '" + name + "', expected " +
                           (hosts.empty() ? "a host" + suggestion(name, names.all(false))
                                          : "one of the group's hosts, such as " + network.hosts[hosts[0]].name));
            }
            bridge.between.at(side) = hosts.front();
        }
        if (bridge.between[0] == bridge.between[1])
            reject(item.where, "system.bridges." + item.name, "joins a host with itself, expected two hosts");
        network.bridges.push_back(std::move(bridge));
    }
}

void add_links(const NetworkPlan& plan, Network& network) {
    const Names names(network);
    const auto text = [&](const Node& node) {
        return node.kind == Node::Kind::host ? network.hosts[node.index].name : network.switches[node.index];
    };
    for (const NetworkPlan::LinkItem& item : plan.links) {
        const Ends ends = ends_of(item, names);
        const std::size_t links = std::max(ends.nodes[0].size(), ends.nodes[1].size());
        for (std::size_t i = 0; i < links; ++i) {
            const std::array<Node, 2> between{ends.nodes[0][i % ends.nodes[0].size()],
                                              ends.nodes[1][i % ends.nodes[1].size()]};
            std::string name = item.named ? item.name : text(between[0]) + '-' + text(between[1]);
            const unsigned group = ends.nodes[0].size() > 1 ? 0 : 1;
            if (item.named && links > 1) name += '-' + text(between.at(group));
            if (between[0] == between[1]) {
                reject(item.where, "system.links." + item.name,
                       "joins '" + text(between[0]) + "' with itself, expected two that differ");
            }
            if (std::ranges::find(network.links, name, &Network::Link::name) != network.links.end()) {
                reject(item.where, "system.links." + item.name,
                       "a second link of this name, expected `name:` for links that join the same");
            }
            network.links.push_back({.name = name, .group = item.name, .where = item.where, .between = between});
        }
    }
}

void add_traffic(const NetworkPlan& plan, Network& network) {
    const Names names(network);
    for (const NetworkPlan::TrafficItem& item : plan.traffic) {
        const std::string path = "run.traffic." + item.name;
        const auto hosts = [&](const std::string& name, const char* key) {
            std::vector<unsigned> found = names.hosts(name);
            if (found.empty()) {
                reject(item.where, path + '.' + key,
                       "found '" + name + "', expected a host or a group" + suggestion(name, names.all(false)));
            }
            return found;
        };
        network.traffic.push_back(
            {.name = item.name, .where = item.where, .from = hosts(item.from, "from"), .to = hosts(item.to, "to")});
    }
}

/// Each host has one link; a switch any number.
void check_links(const Network& network) {
    for (unsigned host = 0; host < network.hosts.size(); ++host) {
        std::vector<std::string> found;
        for (const Network::Link& link : network.links) {
            for (const Node& node : link.between) {
                if (node == Node{Node::Kind::host, host}) found.push_back(link.name);
            }
        }
        if (found.size() == 1) continue;
        const Network::Host& of = network.hosts[host];
        reject(of.where, "system.hosts." + of.name,
               found.empty() ? std::string("has no link, expected one in system.links")
                             : "has " + std::to_string(found.size()) + " links, " + found[0] + " and " + found[1] +
                                   ", expected one");
    }
}

void check_names(const NetworkPlan& plan, const Network& network, const ParsedValues& values) {
    for (const NetworkPlan::Item& item : plan.switches) {
        for (const Network::Host& host : network.hosts) {
            if (host.name != item.name && host.group != item.name) continue;
            const auto count = values.find("system.hosts." + host.group + ".count");
            reject(count == values.end() ? item.where : count->second.where, "system.switches." + item.name,
                   "is the name of a host too, expected another one");
        }
    }
    const auto is_taken = [&](const std::string& name) {
        return std::ranges::any_of(network.hosts,
                                   [&](const auto& of) { return of.name == name || of.group == name; }) ||
               std::ranges::find(network.switches, name) != network.switches.end();
    };
    for (const NetworkPlan::LinkItem& item : plan.links) {
        if (is_taken(item.name))
            reject(item.where, "system.links." + item.name,
                   "is the name of a host or switch too, expected another one");
    }
    for (const NetworkPlan::LinkItem& item : plan.bridges) {
        const bool is_link = std::ranges::find(plan.links, item.name, &NetworkPlan::LinkItem::name) != plan.links.end();
        if (is_link || is_taken(item.name))
            reject(item.where, "system.bridges." + item.name,
                   "is the name of a host, switch or link too, expected another `name`");
    }
}

}  // namespace

Network expand(const NetworkPlan& plan, const ParsedValues& values, const std::string& file) {
    Network network;
    add_hosts(plan, values, network);
    check_members(plan, network);
    for (const NetworkPlan::Item& item : plan.switches) network.switches.push_back(item.name);
    check_names(plan, network, values);
    add_links(plan, network);
    add_bridges(plan, network);
    add_traffic(plan, network);
    check_links(network);
    if (network.traffic.empty()) {
        reject(file, "run.traffic", "missing, expected items such as {from: client, to: server}");
    }
    return network;
}

void check_items_exist(const NetworkPlan& plan, const Network& network, const ParsedValues& values) {
    const Names names(network);
    const std::vector<std::string> hosts = names.all(false);
    std::vector<std::string> links;
    for (const Network::Link& link : network.links) {
        if (std::ranges::find(links, link.group) == links.end()) links.push_back(link.group);
        if (link.name != link.group) links.push_back(link.name);
    }
    std::vector<std::string> bridges, traffic;
    for (const NetworkPlan::LinkItem& item : plan.bridges) bridges.push_back(item.name);
    for (const NetworkPlan::TrafficItem& item : plan.traffic) traffic.push_back(item.name);
    const auto check = [](const std::vector<std::string>& known, const std::string& name, const std::string& where,
                          const std::string& path) {
        if (std::ranges::find(known, name) != known.end()) return;
        reject(where, path,
               "there is no '" + name + "' in this network, expected one of its names" + suggestion(name, known));
    };
    for (const NetworkPlan::Item& link : plan.links_of_members) {
        check(links, link.name, link.where, "system.links." + link.name);
    }
    for (const auto& [path, written] : values) {
        const auto item = item_path(path);
        if (!item) continue;
        const std::string name(item->name);
        switch (item->owner) {
            case Owner::host: check(hosts, name, written.where, path); break;
            case Owner::network_switch: check(network.switches, name, written.where, path); break;
            case Owner::link: check(links, name, written.where, path); break;
            case Owner::bridge: check(bridges, name, written.where, path); break;
            case Owner::traffic:
            case Owner::run: check(traffic, name, written.where, path); break;
        }
        const bool a_group = std::ranges::find(plan.hosts, name, &NetworkPlan::Item::name) != plan.hosts.end();
        if (item->owner == Owner::host && item->rest == ".count" && !a_group) {
            reject(written.where, path, "'" + name + "' is one of a group, expected the group's name");
        }
    }
}

}  // namespace rnicsim
