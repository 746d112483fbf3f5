// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/pfc_deadlock.h"

#include "model/network/switch/switch.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rnicsim {
namespace {

struct StoppedPort {
    std::size_t of = 0;  ///< switch
    Node waits_for;      ///< at the other end
    std::string name;
};

std::vector<StoppedPort> stopped_ports(const RunConfig& config, System& system) {
    std::vector<StoppedPort> found;
    const Time now = current_time();
    for (std::size_t i = 0; i < system.switches(); ++i) {
        const std::vector<Routes::Port>& ports = system.routes().ports(i);
        for (std::size_t port = 0; port < ports.size(); ++port) {
            if (!system.network_switch(i).settled().stopped(port, now)) continue;
            const Node other = config.links[ports[port].link].between.at(1 - ports[port].side);
            found.push_back({i, other, config.switches[i].name + '.' + name_of(config, other)});
        }
    }
    return found;
}

/// Follows who waits for whom until a port comes again.
bool leads_to_itself(const std::vector<StoppedPort>& ports, std::vector<std::size_t>& way) {
    for (std::size_t next = 0; next < ports.size(); ++next) {
        const Node& here = ports[way.back()].waits_for;
        if (here.kind != Node::Kind::network_switch || here.index != ports[next].of) continue;
        if (next == way.front()) return true;
        if (std::ranges::find(way, next) != way.end()) continue;
        way.push_back(next);
        if (leads_to_itself(ports, way)) return true;
        way.pop_back();
    }
    return false;
}

}  // namespace

std::string pfc_deadlock(const RunConfig& config, System& system) {
    const std::vector<StoppedPort> ports = stopped_ports(config, system);
    for (std::size_t first = 0; first < ports.size(); ++first) {
        std::vector<std::size_t> way{first};
        if (!leads_to_itself(ports, way)) continue;
        std::string text = "PFC deadlock: ";
        for (std::size_t i = 0; i < way.size(); ++i)
            text += (i == 0 ? "" : i + 1 == way.size() ? " and " : ", ") + ports[way[i]].name;
        return text + " wait for one another; ";
    }
    return {};
}

}  // namespace rnicsim
