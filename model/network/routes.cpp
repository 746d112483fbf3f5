// SPDX-License-Identifier: Apache-2.0
#include "model/network/routes.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace rnicsim {
namespace {

constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

}  // namespace

Routes::Routes(std::size_t hosts, std::size_t switches, const std::vector<LinkConfig>& links)
    : hosts_(hosts), ports_(switches), to_(switches) {
    links_.reserve(links.size());
    for (std::size_t link = 0; link < links.size(); ++link) {
        links_.push_back(links[link].between);
        for (unsigned side = 0; side < 2; ++side) {
            const Node node = links[link].between.at(side);
            (node.kind == Node::Kind::host ? hosts_ : ports_).at(node.index).push_back({link, side});
        }
    }
    for (std::size_t i = 0; i < switches; ++i) to_[i].assign(hosts, ports_[i].size());
    // From each host outwards, switch by switch: a switch that is reached first over a short way knows the port.
    std::vector<std::size_t> distance(switches);
    for (std::size_t host = 0; host < hosts; ++host) {
        std::ranges::fill(distance, kFar);
        std::deque<std::size_t> reached;
        for (const Port& own : hosts_[host]) {
            const Node node = other_end(own);
            if (node.kind != Node::Kind::network_switch || distance[node.index] == 0) continue;
            distance[node.index] = 0;
            reached.push_back(node.index);
        }
        for (; !reached.empty(); reached.pop_front()) {
            for (const Port& port : ports_[reached.front()]) {
                const Node node = other_end(port);
                if (node.kind != Node::Kind::network_switch || distance[node.index] != kFar) continue;
                distance[node.index] = distance[reached.front()] + 1;
                reached.push_back(node.index);
            }
        }
        for (std::size_t i = 0; i < switches; ++i) {
            for (std::size_t p = ports_[i].size(); p-- > 0;) {  // the first port that is as good wins
                const Node node = other_end(ports_[i][p]);
                const bool at_host = node == Node{Node::Kind::host, static_cast<unsigned>(host)};
                const bool nearer = node.kind == Node::Kind::network_switch && distance[i] != kFar &&
                                    distance[i] != 0 && distance[node.index] + 1 == distance[i];
                if (at_host || nearer) to_[i][host] = p;
            }
        }
    }
}

std::vector<Routes::Port> Routes::path(unsigned from, unsigned to) const {
    std::vector<Port> way;
    if (from == to || hosts_.at(from).empty()) return way;
    Port out = hosts_[from].front();
    while (way.size() <= ports_.size()) {
        way.push_back(out);
        const Node node = other_end(out);
        if (node.kind == Node::Kind::host) return node.index == to ? way : std::vector<Port>();
        const std::size_t port = to_[node.index].at(to);
        if (port >= ports_[node.index].size()) return {};
        out = ports_[node.index][port];
    }
    return {};
}

}  // namespace rnicsim
