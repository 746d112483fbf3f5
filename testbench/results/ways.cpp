// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/ways.h"

#include "model/network/routes.h"

#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace rnicsim::runner {
namespace {

constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

/// By switch: links to the host.
std::vector<std::size_t> distances(const RunConfig& config, const Routes& routes, unsigned to) {
    std::vector<std::size_t> far(config.switches.size(), kFar);
    std::vector<unsigned> next;
    const auto reach = [&](const Node& node, std::size_t distance) {
        if (node.kind != Node::Kind::network_switch || far[node.index] != kFar) return;
        far[node.index] = distance;
        next.push_back(node.index);
    };
    for (const Routes::Port& port : routes.of_host(to)) reach(config.links[port.link].between.at(1 - port.side), 1);
    for (std::size_t i = 0; i < next.size(); ++i) {
        const unsigned here = next[i];
        for (const Routes::Port& port : routes.ports(here))
            reach(config.links[port.link].between.at(1 - port.side), far[here] + 1);
    }
    return far;
}

}  // namespace

std::string ways_not_taken(const RunConfig& config) {
    if (config.switches.size() < 2) return "";
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    const auto link_of = [&](unsigned host) { return routes.of_host(host).front(); };
    const auto switch_of = [&](unsigned host) {  // hosts of one switch have the same ways
        const Node& node = config.links[link_of(host).link].between.at(1 - link_of(host).side);
        return node.kind == Node::Kind::host ? config.switches.size() + node.index : node.index;
    };
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const TrafficConfig& item : config.traffic) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                if (!seen.emplace(switch_of(from), switch_of(to)).second) continue;
                const std::vector<std::size_t> far = distances(config, routes, to);
                for (const Routes::Port& hop : routes.path(from, to)) {
                    const Node& here = config.links[hop.link].between.at(hop.side);
                    if (here.kind != Node::Kind::network_switch) continue;
                    std::vector<std::string> ways;
                    for (const Routes::Port& port : routes.ports(here.index)) {
                        const Node& there = config.links[port.link].between.at(1 - port.side);
                        if (there.kind == Node::Kind::network_switch && far[there.index] != kFar &&
                            far[there.index] + 1 == far[here.index])
                            ways.push_back(config.switches[there.index].name);
                    }
                    if (ways.size() < 2) continue;
                    return "Of several shortest ways all frames take the first: from " + config.names[from] + " to " +
                           config.names[to] + " that by " + ways.front() + ", and none by " + ways[1] +
                           (ways.size() == 2 ? "" : ", ...") + " (no ECMP).\n";
                }
            }
        }
    }
    return "";
}

}  // namespace rnicsim::runner
