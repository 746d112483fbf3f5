// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/bridge_rules.h"

#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/applications.h"

#include <algorithm>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// Has the item stores that go over it?
bool goes_over(const TrafficConfig& item, const ntb::Config& bridge) {
    const applications::Application* const protocol = protocol_of(item);
    if (protocol == nullptr || !protocol->plan(item).bridge) return false;
    const auto has = [&](unsigned from, unsigned to) {
        const std::vector<unsigned> peers = item.responders(from);
        return std::ranges::find(item.from, from) != item.from.end() && std::ranges::find(peers, to) != peers.end();
    };
    return has(bridge.between[0], bridge.between[1]) || has(bridge.between[1], bridge.between[0]);
}

/// Its programs hear of it by an interrupt: until then they may take what lies behind a hole.
void check_outages(const RunConfig& config, const ntb::Config& bridge, Lookup& in) {
    if (bridge.down.probability <= 0) return;
    const std::string key = "system.bridge.down.duration", found = "found '" + in.text(key) + "', expected ";
    if (bridge.down.duration > bridge.down.period)
        in.refuse(key, "system.bridge.down.period",
                  found + "at most the period: " + in.text("system.bridge.down.period"));
    for (const unsigned host : bridge.between) {
        const VerbsHostConfig& of = verbs_of(config, host).host;
        if (bridge.down.duration > of.clock.time(of.interrupt_latency)) continue;
        in.refuse(key, key, found + "more than host.software.interrupt_latency: until then programs do not know of it");
    }
}

}  // namespace

void check_bridges(const RunConfig& config, Lookups& in) {
    for (std::size_t i = 0; i < config.bridges.size(); ++i) {
        const ntb::Config& bridge = config.bridges[i];
        const std::string path = "system.bridges." + bridge.name;
        for (const unsigned host : bridge.between) {
            if (is_verbs(config, host)) continue;
            in.bridges[i].refuse_item(path, "joins '" + config.names[host] + "', which has a " +
                                                std::string(config.hosts[host]->personality()) +
                                                " RNIC, expected hosts with rnic.personality: rc");
        }
        if (std::ranges::none_of(config.traffic, [&](const TrafficConfig& item) { return goes_over(item, bridge); }))
            in.bridges[i].refuse_item(
                path, "no item goes over it, expected one between '" + config.names[bridge.between[0]] + "' and '" +
                          config.names[bridge.between[1]] + "' with application: nts, or kv.transport: nts");
        check_outages(config, bridge, in.bridges[i]);
    }
}

}  // namespace rnicsim
