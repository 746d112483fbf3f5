// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/network_rules.h"

#include "model/network/routes.h"
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/peer_table.h"
#include "testbench/scenario/personalities/drp/block_keys.h"

#include <algorithm>
#include <string>

namespace rnicsim {
namespace {

/// A DRP RNIC sends and takes a byte a cycle of 8 ns.
void check_rates(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.links.size(); ++i) {
        const LinkConfig& link = config.links[i];
        if (link.timing.per_byte == MacTiming{}.per_byte) continue;
        for (const Node& node : link.between) {
            if (node.kind != Node::Kind::host || !is_drp(config, node.index)) continue;
            in.links[i].refuse("system.link.rate", "system.link.rate",
                               "found '" + in.links[i].text("system.link.rate") + "', expected 1 Gbps: the RNIC of '" +
                                   config.names[node.index] + "' sends a byte a cycle of 8 ns");
        }
    }
}

void check_ways(const RunConfig& config, Lookups& in, const Routes& routes) {
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if ((item.pairs == Pairs::ring || item.pairs == Pairs::tree) && item.from != item.to) {
            in.traffic[i].refuse_item("run.traffic." + item.name,
                                      "found hosts in `to` that are not those of `from`, expected the same: `pairs: " +
                                          std::string(kPairsNames.at(static_cast<std::size_t>(item.pairs))) +
                                          "` is among them");
        }
        bool any = false;
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                any = true;
                if (!routes.path(from, to).empty()) continue;
                in.traffic[i].refuse_item("run.traffic." + item.name, "no way leads from '" + config.names[from] +
                                                                          "' to '" + config.names[to] +
                                                                          "', expected links between them");
            }
        }
        if (!any) in.traffic[i].refuse_item("run.traffic." + item.name, "no host asks another one, expected a pair");
    }
}

void check_peers(const RunConfig& config, Lookups& in) {
    for (const unsigned host : drp_hosts(config)) {
        const std::size_t peers = peers_of(config, host).size();
        if (peers > kMostPeers) {
            in.ends[host].refuse_item(
                "system.hosts." + config.names[host],
                "has " + std::to_string(peers) + " peers, expected at most " + std::to_string(kMostPeers));
        }
        if (drp_of(config, host).rnic.blocks == BlockNames() || peers <= 1) continue;
        for (const Block block : {Block::transport_controller, Block::indirect_buffer, Block::rnic_core, Block::gmac,
                                  Block::frame_filter, Block::dma_engine}) {
            const std::string& name = drp_of(config, host).rnic.blocks[block];
            if (name == "model") continue;
            const std::string key = block_key(block);
            in.ends[host].refuse(in.ends[host].written(key) ? key : std::string(kRnicBlocks), key,
                                 "found '" + name + "', expected model: the Verilog knows one peer, and '" +
                                     config.names[host] + "' has " + std::to_string(peers));
        }
    }
}

/// What both ends of a transfer have to agree about: MODE of a REQ_ACK means nothing to a host with another rule.
void check_agreement(const RunConfig& config, Lookups& in) {
    for (const std::string key : {"system.rnic.drp.resume_rule", "system.rnic.drp.busy_answer"}) {
        std::vector<unsigned> all = drp_hosts(config);
        if (key.ends_with("resume_rule")) {  // a traditional host neither resumes nor tells
            std::erase_if(
                all, [&](unsigned host) { return drp_of(config, host).rnic.transport.method == Method::traditional; });
        }
        for (const unsigned host : all) {
            const unsigned one = all.front();
            const std::string first = in.ends[one].text(key);
            const std::string found = in.ends[host].text(key);
            if (found == first) continue;
            const unsigned wrong = in.ends[host].written(key) ? host : one;
            in.ends[wrong].refuse(key, key,
                                  "found '" + in.ends[wrong].text(key) + "' at '" + config.names[wrong] + "' and '" +
                                      (wrong == one ? found : first) + "' at '" +
                                      config.names[wrong == one ? host : one] + "', expected the same at all hosts");
        }
    }
}

/// Who is pinged would have to be said, and no key says it.
void check_no_pings(const RunConfig& config, Lookups& in) {
    const std::vector<unsigned> all = drp_hosts(config);
    for (const unsigned host : all) {
        if (drp_of(config, host).host.ping.sizes.empty() || all.size() == 2) continue;
        in.ends[host].refuse(
            "system.host.ping.sizes", "system.host.ping.sizes",
            "hosts ping each other where there are two, expected [] among " + std::to_string(all.size()));
    }
}

}  // namespace

void check_network(const RunConfig& config, Lookups& in) {
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    check_rates(config, in);
    check_ways(config, in, routes);
    check_peers(config, in);
    check_no_pings(config, in);
    check_agreement(config, in);
}

}  // namespace rnicsim
