// SPDX-License-Identifier: Apache-2.0
// Clients and a server at a switch.
#pragma once

#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/plain/end_config.h"
#include "testbench/tests/support/default_config.h"
#include "tlm/ethernet/pause_frame.h"

namespace rnicsim {

/// Host 0 is the server, behind link 0; client i is host i, behind link i. Each client writes to the server.
inline RunConfig star(unsigned clients, std::uint32_t size, std::uint32_t transfers) {
    RunConfig config = default_config();
    const DrpEndConfig end = drp_of(config, 0);
    const LinkConfig link = config.links.front();
    config.network = true;
    config.hosts.assign(clients + 1, end);
    config.links.assign(clients + 1, link);
    std::vector<std::string> names{"server"};
    config.groups = {"server"};
    TrafficConfig& item = config.traffic.front();
    item.from.clear();
    item.to = {0};
    item.size = size;
    item.transfers = transfers;
    config.switches.emplace_back().name = "s0";
    for (unsigned host = 0; host <= clients; ++host) {
        config.links[host].between = {Node{Node::Kind::host, host}, Node{Node::Kind::network_switch, 0}};
        if (host == 0) continue;
        names.push_back("client" + std::to_string(host - 1));
        config.groups.emplace_back("client");
        item.from.push_back(host);
    }
    for (unsigned host = 0; host <= clients; ++host) {
        config.links[host].name = names[host] + "-s0";
        config.links[host].group = config.groups[host] + "-s0";
    }
    config.names = HostNames::of_network(std::move(names));
    return config;
}

constexpr std::int64_t kGigabit = 1'000'000'000;

/// The star with plain hosts: each client sends frames of `size` to the server.
inline RunConfig plain_star(unsigned clients, std::uint32_t size, std::uint32_t frames, std::int64_t rate = kGigabit) {
    RunConfig config = star(clients, size, frames);
    config.hosts.assign(config.hosts.size(), PlainEndConfig{});
    for (PlainEndConfig& station : plain_ends(config)) {
        station.mtu = 9'198;
        station.reaction = longest_pause_reaction(MacTiming::of_rate(rate));
    }
    for (SwitchConfig& of : config.switches) of.mtu = 9'198;
    for (LinkConfig& link : config.links) link.timing = MacTiming::of_rate(rate);
    config.traffic.front().workload = Workload::frames;
    return config;
}

}  // namespace rnicsim
