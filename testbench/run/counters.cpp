// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/counters.h"

#include "model/network/switch/switch.h"
#include "model/ntb/bridge.h"
#include "testbench/kits/kits.h"

namespace rnicsim {
namespace {

/// Under which name a host or a switch is counted.
const std::string& counted_as(const RunConfig& config, const Node& node) {
    const bool grouped = node.kind == Node::Kind::host && !config.groups.empty();
    return grouped ? config.groups[node.index] : name_of(config, node);
}

void collect_lane(const Link::Lane& lane, const std::string& prefix, CounterList& out) {
    out.begin(prefix);
    const Link::Lane::Counters& counters = lane.counters();
    out.add("carried", counters.carried);
    out.add("lost", counters.lost);
    out.add("corrupted", counters.damaged);
    out.add("duplicated", counters.copied);
    out.add("delayed", counters.delayed);
    out.add("overtaken", counters.overtaken);
    if (counters.marked != 0) out.add("marked", counters.marked);
}

/// Its ports are called after what they lead to.
void collect_switch(const System& system, const RunConfig& config, std::size_t number, CounterList& out) {
    const SwitchLogic& logic = system.network_switch(number).logic();
    const std::string& name = config.switches[number].name;
    out.begin(name + '.');
    out.add("buffer_high_water", static_cast<std::uint64_t>(logic.buffer().high_water()));
    const std::vector<Routes::Port>& ports = system.routes().ports(number);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        out.begin(name + '.' + counted_as(config, config.links[ports[i].link].between.at(1 - ports[i].side)) + '.');
        const SwitchLogic::Counters& counters = logic.counters(i);
        out.add("in_frames", counters.in);
        out.add("in_bytes", counters.in_bytes);
        out.add("out_frames", counters.out);
        out.add("out_bytes", counters.out_bytes);
        out.add("queue_high_water", static_cast<std::uint64_t>(logic.queue_high_water(i)));
        for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
            out.add("dropped_" + std::string(kDropReasonNames[reason]), counters.dropped[reason]);
        }
        out.add("copies", counters.copies);
        out.add("refused", counters.refused);
        out.add("marked", counters.marked);
        out.add("cut_through", counters.cut_through);
        out.add("pauses_sent", counters.pauses_sent);
        out.add("pauses_heard", counters.pauses_heard);
        out.add("headroom_high_water", static_cast<std::uint64_t>(logic.ingress().headroom_high_water(i)));
    }
}

void collect_bridge(const ntb::Bridge& bridge, const RunConfig& config, std::size_t number, CounterList& out) {
    const ntb::Config& of = config.bridges[number];
    for (unsigned side = 0; side < 2; ++side) {
        out.begin(of.name + '.' + config.names[of.between.at(side)] + "_to_" + config.names[of.between.at(1 - side)] +
                  '_');
        const ntb::Crossed& crossed = bridge.side(side).crossed();
        out.add("writes", crossed.writes);
        out.add("write_bytes", crossed.write_bytes);
        out.add("reads", crossed.reads);
        out.add("unsupported", crossed.unsupported);
        out.add("dropped", crossed.dropped);
        out.add("doorbells", crossed.doorbells);
        out.add("interrupts", crossed.interrupts);
        out.add("credit_stalls", crossed.credit_stalls);
        out.add("partial_writes", crossed.partial);
    }
}

}  // namespace

CounterList::Counters collect_counters(const System& system, const RunConfig& config) {
    CounterList out;
    for (unsigned host = 0; host < system.hosts(); ++host)
        kit_of(config, host).count(system.end(host), config, counted_as(config, {Node::Kind::host, host}), out);
    for (std::size_t i = 0; i < config.switches.size(); ++i) collect_switch(system, config, i, out);
    for (std::size_t i = 0; i < config.links.size(); ++i) {
        const LinkConfig& link = config.links[i];
        for (unsigned side = 0; side < 2; ++side) {
            const std::string way = counted_as(config, link.between.at(side)) + "_to_" +
                                    counted_as(config, link.between.at(1 - side)) + '_';
            collect_lane(system.link(i).from(side), link.group + '.' + way, out);
        }
    }
    for (std::size_t i = 0; i < config.bridges.size(); ++i) collect_bridge(system.bridge(i), config, i, out);
    return out.take();
}

std::uint64_t count_data_frames(const System& system, const RunConfig& config) {
    std::uint64_t all = 0;
    for (unsigned host = 0; host < system.hosts(); ++host) all += kit_of(config, host).data_frames(system.end(host));
    return all;
}

}  // namespace rnicsim
