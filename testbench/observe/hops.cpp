// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/hops.h"

#include <algorithm>
#include <array>

namespace rnicsim {

std::vector<MacTiming> wires_of_hosts(const RunConfig& run) {
    std::vector<MacTiming> wires(run.names.size());
    for (const LinkConfig& link : run.links) {
        for (const Node& node : link.between) {
            if (node.kind == Node::Kind::host) wires.at(node.index) = link.timing;
        }
    }
    return wires;
}

Hops::Hops(const RunConfig& run) : names_(node_names(run)) {
    const auto number = [&](const Node& node) {
        return node.kind == Node::Kind::host ? node.index : static_cast<unsigned>(run.names.size()) + node.index;
    };
    for (const LinkConfig& link : run.links) {
        for (const unsigned side : {0U, 1U}) {
            const Node& from = link.between.at(side);
            if (from.kind != Node::Kind::network_switch) continue;
            const Hop hop{link.timing, run.switches.at(from.index).latency + link.delay};
            const auto [known, fresh] = hops_.try_emplace({number(from), number(link.between.at(1 - side))}, hop);
            // Of parallel links the fastest: a wait is never too long.
            if (!fresh && hop.timing.per_byte < known->second.timing.per_byte) known->second = hop;
        }
    }
}

Time Hops::shortest(unsigned at_switch, unsigned next, std::uint32_t bytes) const {
    const Hop& hop = hops_.at({at_switch, next});
    return hop.timing.serialisation(bytes) + hop.other;
}

}  // namespace rnicsim
