// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/rc/application_rules.h"

#include "model/network/routes.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/scenario/applications.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {
namespace {

/// Of an item over a bridge, what leaves its hosts' cards to others; of another one nothing.
std::string without_card(const TrafficConfig& item) {
    const applications::Application* const protocol = protocol_of(item);
    if (protocol == nullptr || !protocol->plan(item).bridge) return {};
    return ", or run.nts.failover: false of '" + item.name + "', which leaves the card alone";
}

/// Of a host's card: one work has it, whose program is the application's. Items that leave it alone may be beside that.
void check_host(const RunConfig& config, unsigned host, const TrafficConfig& item, const TrafficConfig*& before,
                Lookups& in, std::size_t number) {
    if (!item.has_card) return;
    if (before == nullptr) before = &item;
    if (before->application != item.application) {
        in.traffic[number].refuse(
            "run.application", "run.application",
            "'" + config.names[host] + "' has the item '" + before->name + "' as well, " +
                (before->application.empty() ? "which has no application" : "of application " + before->application) +
                ": expected a host to have one kind of those that use its card" + without_card(*before) +
                without_card(item));
    }
    if (protocol_of(item) == nullptr) return;
    const VerbsHostConfig& of = verbs_of(config, host).host;
    if (of.shared_receives != 0) {
        in.ends[host].refuse(
            "system.host.verbs.receive_queues", "run.application",
            "found 'shared' on '" + config.names[host] + "', expected own beside an application" + without_card(item));
    }
    if (of.persistence) {
        in.ends[host].refuse("system.host.persistence.domain", "run.application",
                             "'" + config.names[host] +
                                 "' has a persistence path, expected none beside an application" + without_card(item));
    }
}

/// Of a host's bridges: one application has them.
void check_bridges_of(const RunConfig& config, unsigned host, const TrafficConfig& item, const TrafficConfig*& before,
                      Lookup& in) {
    if (before == nullptr) before = &item;
    if (before->application == item.application) return;
    in.refuse("run.application", "run.application",
              "'" + config.names[host] + "' has the item '" + before->name +
                  "' over a bridge as well, of application " + before->application +
                  ": expected one application over the bridges of a host");
}

/// Who looks at memory does not sleep; who sleeps waits for something in particular.
void check_waiting(const RunConfig& config, unsigned host, const TrafficConfig& item,
                   const applications::Plan::Side& plan, Lookups& in) {
    if (plan.watches && verbs_of(config, host).host.events) {
        in.ends[host].refuse("system.host.verbs.notify", "run.application",
                             "found 'events' on '" + config.names[host] + "', expected poll: " + item.application +
                                 " looks at its memory, which wakes nobody");
    }
}

/// Memory is registered some time.
void check_registering(const RunConfig& config, unsigned host, const applications::Plan::Side& plan, Lookups& in) {
    if (plan.registers && verbs_of(config, host).host.cpu.pin_faults.failure >= 1) {
        in.ends[host].refuse("system.host.cpu.registration.failure", "run.application",
                             "found '" + in.ends[host].text("system.host.cpu.registration.failure") + "' on '" +
                                 config.names[host] + "', expected less than 100 %: nothing would be registered");
    }
}

/// Frames of a stream fit into both cards and all switches between them.
void check_stream(const RunConfig& config, const Routes& routes, unsigned from, unsigned to, Lookup& in) {
    const VerbsEndConfig &here = verbs_of(config, from), &there = verbs_of(config, to);
    const std::int64_t mtu = here.host.tcp.mtu;
    const auto refuse = [&](std::int64_t most, const std::string& whose) {
        in.refuse("system.host.tcp.mtu", "run.application",
                  "found '" + in.text("system.host.tcp.mtu") + "' on '" + config.names[from] + "', expected at most " +
                      std::to_string(most) + " B, the MTU of " + whose);
    };
    for (const auto& [end, name] : {std::pair(&here, from), std::pair(&there, to)})
        if (mtu > end->card.gmac.mtu) refuse(end->card.gmac.mtu, "the card of '" + config.names[name] + "'");
    for (const Routes::Port& hop : routes.path(from, to)) {
        const Node& next = config.links[hop.link].between.at(1 - hop.side);
        if (next.kind == Node::Kind::network_switch && mtu > config.switches[next.index].mtu)
            refuse(config.switches[next.index].mtu, "switch '" + config.switches[next.index].name + "'");
    }
}

/// How long an area is that a host's ends share, and who has said so first. By host and number.
struct Shared {
    std::uint64_t bytes = 0;
    std::string end;
};
using AllShared = std::map<std::pair<unsigned, std::uint32_t>, Shared>;

void check_shared(const RunConfig& config, unsigned host, const TrafficConfig& item, unsigned side,
                  const applications::Plan& plan, AllShared& all, Lookup& in) {
    for (const applications::Plan::Area& area : plan.sides.at(side).areas) {
        if (area.shared == 0) continue;
        const std::string end = (side == 0 ? "who asks in '" : "who answers in '") + item.name + "'";
        const Shared& first = all.try_emplace({host, area.shared}, Shared{area.bytes, end}).first->second;
        if (first.bytes == area.bytes) continue;
        in.refuse_item("run.traffic." + item.name,
                       "found memory of '" + config.names[host] + "' that " + first.end + " has as " +
                           std::to_string(first.bytes) + " B and " + end + " as " + std::to_string(area.bytes) +
                           " B, expected one length: the same values of both in `size` and in run." + item.application);
    }
}

void check_streams(const RunConfig& config, const TrafficConfig& item, Lookups& in) {
    const Routes routes(config.names.size(), config.switches.size(), config.links);
    for (const unsigned from : item.from) {
        for (const unsigned to : item.responders(from)) {
            check_stream(config, routes, from, to, in.ends[from]);
            check_stream(config, routes, to, from, in.ends[to]);
        }
    }
}

}  // namespace

void check_applications(const RunConfig& config, Lookups& in) {
    std::vector<const TrafficConfig*> of_host(config.names.size()), over_bridges(config.names.size());
    AllShared shared;
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        const applications::Application* const protocol = protocol_of(item);
        if (item.workload != Workload::verbs) continue;
        for (const unsigned from : item.from) {
            check_host(config, from, item, of_host[from], in, i);
            for (const unsigned to : item.responders(from)) check_host(config, to, item, of_host[to], in, i);
        }
        if (protocol == nullptr) continue;
        const applications::Plan plan = protocol->plan(item);
        for (const unsigned from : item.from) {
            if (!plan.bridge) break;
            check_bridges_of(config, from, item, over_bridges[from], in.traffic[i]);
            for (const unsigned to : item.responders(from))
                check_bridges_of(config, to, item, over_bridges[to], in.traffic[i]);
        }
        for (const unsigned from : item.from) {
            check_waiting(config, from, item, plan.sides[0], in);
            check_registering(config, from, plan.sides[0], in);
            check_shared(config, from, item, 0, plan, shared, in.traffic[i]);
            for (const unsigned to : item.responders(from)) {
                check_waiting(config, to, item, plan.sides[1], in);
                check_registering(config, to, plan.sides[1], in);
                check_shared(config, to, item, 1, plan, shared, in.traffic[i]);
            }
        }
        if (plan.stream) check_streams(config, item, in);
        const std::optional<applications::Refusal> no = protocol->refused(config, item);
        // What has no effect here is refused for that, where nothing else reads it.
        if (no && protocol->unread(item, no->key) == nullptr) {
            in.traffic[i].refuse(no->key, "run.application",
                                 "found '" + in.traffic[i].text(no->key) + "', expected " + no->expected);
        }
    }
}

}  // namespace rnicsim
