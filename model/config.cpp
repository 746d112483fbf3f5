// SPDX-License-Identifier: Apache-2.0
#include "model/config.h"

#include "model/network/switch/headroom.h"
#include "tlm/ethernet/frame.h"
#include "tlm/ethernet/pause_frame.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace rnicsim {

std::size_t largest_frame(const RunConfig& run) {
    std::size_t largest = kFrameRoom;
    for (const AnyEnd& host : run.hosts) largest = std::max(largest, host->largest_frame());
    return largest;
}

bool frames_keep_order(const RunConfig& run) {
    if (run.tape == nullptr) {
        return std::ranges::all_of(
            run.links, [](const LinkConfig& link) { return link.reordering == 0 && link.duplication == 0; });
    }
    return std::ranges::none_of(*run.tape, [](const TapeEntry& entry) {
        const auto* const taped = std::get_if<TapedFrame>(&entry);
        return taped != nullptr && (taped->fault == FrameFault::duplicated || taped->fault == FrameFault::overtaken);
    });
}

Time reaction_at(const RunConfig& run, const Routes::Port& port) {
    const LinkConfig& link = run.links.at(port.link);
    const Node& sender = link.between.at(1 - port.side);
    const Time reaction = sender.kind == Node::Kind::network_switch ? run.switches.at(sender.index).pause_reaction
                                                                    : run.hosts.at(sender.index)->pause_reaction();
    return reaction != Time{} ? reaction : longest_pause_reaction(link.timing);
}

std::vector<std::int64_t> headroom_of(const RunConfig& run, unsigned number, const std::vector<Routes::Port>& ports) {
    const SwitchConfig& of = run.switches.at(number);
    std::vector<std::int64_t> headroom;
    headroom.reserve(ports.size());
    for (const Routes::Port& port : ports) {
        headroom.push_back(of.pfc.headroom != 0 ? of.pfc.headroom
                                                : needed_headroom(of, run.links.at(port.link), reaction_at(run, port)));
    }
    return headroom;
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

FaultConfig fault_config(const RunConfig& run) {
    FaultConfig config{{run.links.begin(), run.links.end()}, {}, run.seed, run.repetition};
    for (const ntb::Config& bridge : run.bridges) {
        LinkFaultConfig& link = config.links.emplace_back();
        link.byte_time = kNanosecond;
        link.down = bridge.down;
    }
    for (const AnyEnd& host : run.hosts) config.hosts.push_back(host->faults());
    return config;
}

AtOnce transfers_at_once(const RunConfig& run, unsigned host) {
    AtOnce sum;
    for (const TrafficConfig& item : run.traffic) {
        if (!item.responders(host).empty()) sum.asked += item.in_flight;
        sum.answered += item.in_flight * static_cast<std::int64_t>(item.initiators(host).size());
    }
    return sum;
}

}  // namespace rnicsim
