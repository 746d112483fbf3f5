// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/network_reader.h"

#include <algorithm>
#include <array>

namespace rnicsim {
namespace {

constexpr std::string_view kHosts = "system.hosts", kSwitches = "system.switches", kLinks = "system.links",
                           kBridges = "system.bridges", kTraffic = "run.traffic";
constexpr const char* kLinkExample = "{between: [server, s0]}";
constexpr const char* kBridgeExample = "{name: n0, between: [near, target]}";
constexpr const char* kTrafficExample = "{from: client, to: server}";

/// Only `count` gives hosts a number. Switches may have one, and names of links whatever names of hosts have, and '-'.
bool legal(const std::string& name, const bool digits, const bool dashes) {
    const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !name.empty() && letter(name.front()) && std::ranges::all_of(name, [&](char c) {
        return letter(c) || c == '_' || (digits && c >= '0' && c <= '9') || (dashes && c == '-');
    });
}

}  // namespace

bool NetworkReader::reads(const std::string& path) {
    return path == kHosts || path == kSwitches || path == kLinks || path == kBridges || path == kTraffic;
}

void NetworkReader::read(const std::string& path, const YAML::Node& node) {
    if (path == kLinks) return joins(path, node, plan_.links, kLinkExample);
    if (path == kBridges) return joins(path, node, plan_.bridges, kBridgeExample);
    if (path == kTraffic) return traffic(path, node);
    named(path, node, path == kHosts);
}

void NetworkReader::named(const std::string& path, const YAML::Node& node, const bool of_hosts) {
    if (!node.IsMap() || node.size() == 0) {
        reject(in_.where(node), path,
               "found " + (node.IsMap() ? "none" : shown(node)) + ", expected names, such as " +
                   (of_hosts ? "{server: {}, client: {count: 4}}" : "{s0: {buffer: 128 KiB}}"));
    }
    for (const auto& pair : node) {
        const std::string name = pair.first.Scalar();
        const bool member = of_hosts && name.find_first_of("0123456789") != std::string::npos;
        if (!legal(name, !of_hosts || member, false)) {
            reject(in_.where(pair.first), path + '.' + name,
                   std::string("expected a name of lower-case letters") +
                       (of_hosts ? " and '_'; numbers come from `count`" : ", digits and '_', a letter first"));
        }
        (!of_hosts ? plan_.switches : member ? plan_.members : plan_.hosts).push_back({name, in_.where(pair.first)});
        keys(path + '.' + name, pair.second, {});
    }
}

void NetworkReader::joins(const std::string& path, const YAML::Node& node, std::vector<NetworkPlan::LinkItem>& items,
                          const char* example) {
    const bool are_links = &items == &plan_.links;
    check_list(path, node, example);
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::string place = path + '[' + std::to_string(i) + ']';
        const YAML::Node item = node[i];
        if (are_links && item.IsMap() && item["of"]) {  // one of a group's
            const std::string name = text(place, item, "of", "client3-s0");
            plan_.links_of_members.push_back({name, in_.where(item["of"])});
            keys(path + '.' + name, item, {"of"});
            continue;
        }
        if (!item.IsMap() || !item["between"]) {
            reject(in_.where(item), place, std::string("expected what it joins, such as ") + example);
        }
        const std::vector<std::string> ends = in_.scalars(place + ".between", item["between"]);
        if (ends.size() != 2) {
            reject(in_.where(item["between"]), place + ".between",
                   "found " + std::to_string(ends.size()) + " names, expected two, such as " + example);
        }
        NetworkPlan::LinkItem link;
        link.where = in_.where(item);
        link.between = {ends[0], ends[1]};
        link.named = item["name"].IsDefined();
        link.name = link.named ? text(place, item, "name", "uplink") : ends[0] + '-' + ends[1];
        if (link.named && !legal(link.name, true, true)) {
            reject(in_.where(item["name"]), place + ".name",
                   "found '" + link.name + "', expected lower-case letters, digits, '_' and '-', a letter first");
        }
        if (std::ranges::find(items, link.name, &NetworkPlan::LinkItem::name) != items.end()) {
            reject(link.where, place,
                   std::string("a second ") + (are_links ? "link" : "bridge") + " '" + link.name +
                       "', expected `name:` for those that join the same");
        }
        items.push_back(link);
        keys(path + '.' + link.name, item, {"between", "name"});
    }
}

void NetworkReader::traffic(const std::string& path, const YAML::Node& node) {
    check_list(path, node, kTrafficExample);
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::string place = path + '[' + std::to_string(i) + ']';
        const YAML::Node item = node[i];
        if (!item.IsMap()) {
            reject(in_.where(item), place, "found " + shown(item) + ", expected an item such as " + kTrafficExample);
        }
        NetworkPlan::TrafficItem traffic;
        traffic.where = in_.where(item);
        traffic.name = item["name"] ? text(place, item, "name", "bulk") : std::to_string(i);
        const bool number = std::ranges::all_of(traffic.name, [](char c) { return c >= '0' && c <= '9'; });
        if (item["name"] && (number || !legal(traffic.name, true, false))) {
            reject(in_.where(item["name"]), place + ".name",
                   "found '" + traffic.name + "', expected lower-case letters, digits and '_', a letter first");
        }
        if (std::ranges::find(plan_.traffic, traffic.name, &NetworkPlan::TrafficItem::name) != plan_.traffic.end()) {
            reject(in_.where(item["name"]), place + ".name", "found '" + traffic.name + "' twice, expected it once");
        }
        traffic.from = text(place, item, "from", "client");
        traffic.to = text(place, item, "to", "server");
        plan_.traffic.push_back(traffic);
        keys(path + '.' + traffic.name, item, {"name", "from", "to"});
    }
}

void NetworkReader::keys(const std::string& path, const YAML::Node& node, const std::vector<std::string>& but) {
    if (node.IsNull()) return;
    if (!node.IsMap()) reject(in_.where(node), path, "found " + shown(node) + ", expected a section of keys");
    for (const auto& pair : node) {
        const std::string key = pair.first.Scalar();
        if (std::ranges::find(but, key) == but.end()) entry_(path + '.' + key, pair.first, pair.second);
    }
}

std::string NetworkReader::text(const std::string& path, const YAML::Node& node, const char* key,
                                const char* example) const {
    const YAML::Node value = node[key];
    if (!value) reject(in_.where(node), path, std::string("no `") + key + "`, expected a name such as " + example);
    if (!value.IsScalar()) {
        reject(in_.where(value), path + '.' + key, "found " + shown(value) + ", expected a name such as " + example);
    }
    return value.Scalar();
}

void NetworkReader::check_list(const std::string& path, const YAML::Node& node, const char* example) const {
    if (node.IsSequence() && node.size() != 0) return;
    reject(in_.where(node), path,
           "found " + (node.IsSequence() ? "an empty list" : shown(node)) + ", expected a list of items such as " +
               example);
}

}  // namespace rnicsim
