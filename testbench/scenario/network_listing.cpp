// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/network_listing.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// Sets a.b.c of a node.
void set(YAML::Node node, std::string_view path, const YAML::Node& value) {
    const std::size_t dot = path.find('.');
    const std::string first(path.substr(0, dot));
    if (dot == std::string_view::npos) {
        node[first] = value;
    } else {
        set(node[first], path.substr(dot + 1), value);
    }
}

YAML::Node as_node(const Key& key, const std::string& text) {
    return is_list(key.kind) ? YAML::Load(text) : YAML::Node(text);
}

/// An item's own value, else the default.
std::string value_text(const Key& key, const ParsedValues& values, const std::string& own) {
    if (const auto written = values.find(own); written != values.end()) return write_value(key, written->second.value);
    Value value;
    std::string expected;
    return read_value(key, std::string(key.fallback), value, expected) ? write_value(key, value)
                                                                       : std::string(key.fallback);
}

/// Members of groups that have values of their own.
template <typename Items>
std::vector<std::string> others(const ParsedScenario& parsed, Owner owner, const Items& items) {
    std::vector<std::string> names;
    for (const auto& [path, written] : parsed.values) {
        const auto item = item_path(path);
        if (!item || item->owner != owner) continue;
        std::string name(item->name);
        const bool known = std::ranges::any_of(items, [&](const auto& of) { return of.name == name; });
        if (!known && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

/// Has a value for all items been written, or is there one for each point or variant? It may be one that another item
/// has no use for.
bool is_said_of_all(const ParsedScenario& parsed, std::string_view common) {
    const std::string path(common);
    return parsed.values.contains(path) ||
           std::ranges::any_of(
               parsed.axes,
               [&](const ParsedAxis& axis) { return std::ranges::find(axis.keys, path) != axis.keys.end(); }) ||
           std::ranges::any_of(parsed.variants.list,
                               [&](const ParsedVariant& variant) { return variant.values.contains(path); });
}

/// What was written of one item.
void add_own(YAML::Node node, const ParsedValues& values, const std::string& level) {
    for (auto value = values.lower_bound(level + '.'); value != values.end(); ++value) {
        const auto& [path, written] = *value;
        if (!path.starts_with(level + '.')) break;
        const Key& key = *find_key(path);
        set(node, std::string_view(path).substr(level.size() + 1), as_node(key, write_value(key, written.value)));
    }
}

YAML::Node empty_map() { return YAML::Node(YAML::NodeType::Map); }

/// Items that join two others.
YAML::Node joined(const ParsedScenario& parsed, const std::vector<NetworkPlan::LinkItem>& items,
                  const std::string& section) {
    YAML::Node all(YAML::NodeType::Sequence);
    for (const NetworkPlan::LinkItem& item : items) {
        YAML::Node one = empty_map();
        for (const std::string& end : item.between) one["between"].push_back(end);
        if (item.named) one["name"] = item.name;
        add_own(one, parsed.values, section + item.name);
        all.push_back(one);
    }
    return all;
}

}  // namespace

bool is_common_key(const Key& key, bool network) {
    if (key.path == "system.hosts.*.count") return false;
    if (!network) return !key.network;
    return owner_of(key.path) != Owner::traffic && key.path != "run.direction";
}

void write_network(Listing& out, const ParsedScenario& parsed) {
    YAML::Node hosts = empty_map();
    for (const NetworkPlan::Item& item : parsed.network.hosts) {
        hosts[item.name] = empty_map();
        add_own(hosts[item.name], parsed.values, "system.hosts." + item.name);
    }
    for (const std::string& name : others(parsed, Owner::host, parsed.network.hosts)) {
        hosts[name] = empty_map();
        add_own(hosts[name], parsed.values, "system.hosts." + name);
    }
    out.node("system.hosts", hosts);
    YAML::Node switches = empty_map();
    for (const NetworkPlan::Item& item : parsed.network.switches) {
        switches[item.name] = empty_map();
        add_own(switches[item.name], parsed.values, "system.switches." + item.name);
    }
    if (!parsed.network.switches.empty()) out.node("system.switches", switches);
    YAML::Node links = joined(parsed, parsed.network.links, "system.links.");
    for (const std::string& name : others(parsed, Owner::link, parsed.network.links)) {
        YAML::Node link = empty_map();
        link["of"] = name;
        add_own(link, parsed.values, "system.links." + name);
        links.push_back(link);
    }
    out.node("system.links", links);
    if (!parsed.network.bridges.empty())
        out.node("system.bridges", joined(parsed, parsed.network.bridges, "system.bridges."));
}

void write_traffic(Listing& out, const ParsedScenario& parsed) {
    YAML::Node items(YAML::NodeType::Sequence);
    for (const NetworkPlan::TrafficItem& item : parsed.network.traffic) {
        YAML::Node node = empty_map();
        const bool named = item.name.find_first_not_of("0123456789") != std::string::npos;
        if (named) node["name"] = item.name;
        node["from"] = item.from;
        node["to"] = item.to;
        for (const Key& key : all_keys()) {
            if (owner_of(key.path) != Owner::traffic) continue;
            const std::string path = path_in("run.traffic." + item.name, key.path);
            if (!parsed.values.contains(path) && is_said_of_all(parsed, key.path)) continue;
            set(node, key.path.substr(4), as_node(key, value_text(key, parsed.values, path)));
        }
        items.push_back(node);
    }
    out.node("run.traffic", items);
}

}  // namespace rnicsim
