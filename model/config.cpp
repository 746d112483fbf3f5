#include "model/config.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rnicsim {

std::vector<unsigned> peers_of(const RunConfig& run, unsigned host) {
    // Two hosts know each other, whoever asks.
    if (run.ends.size() == 2) return {1 - host};
    std::set<unsigned> peers;
    for (const TrafficConfig& item : run.traffic) {
        const std::vector<unsigned> own = item.responders(host);
        peers.insert(own.begin(), own.end());
        for (const unsigned from : item.from) {
            const std::vector<unsigned> asked = item.responders(from);
            if (std::ranges::find(asked, host) != asked.end()) peers.insert(from);
        }
    }
    return {peers.begin(), peers.end()};
}

const std::string& name_of(const RunConfig& run, const Node& node) {
    return node.kind == Node::Kind::host ? run.names[node.index] : run.switches.at(node.index).name;
}

HostNames node_names(const RunConfig& run) {
    std::vector<std::string> names;
    names.reserve(run.names.size() + run.switches.size());
    for (unsigned host = 0; host < run.names.size(); ++host) names.push_back(run.names[host]);
    for (const SwitchConfig& of : run.switches) names.push_back(of.name);
    return run.network ? HostNames::of_network(std::move(names)) : HostNames(std::move(names));
}

AtOnce transfers_at_once(const RunConfig& run, unsigned host) {
    AtOnce sum;
    for (const TrafficConfig& item : run.traffic) {
        if (!item.responders(host).empty()) sum.asked += item.in_flight;
        for (const unsigned from : item.from) {
            const std::vector<unsigned> asked = item.responders(from);
            if (std::ranges::find(asked, host) != asked.end()) sum.answered += item.in_flight;
        }
    }
    return sum;
}

}  // namespace rnicsim
