// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp/late_frames.h"

#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <cmath>

namespace rnicsim {
namespace {

/// What one port's queues may hold of a switch's memory, as SharedBuffer admits it.
std::int64_t most_held(const SwitchConfig& of, std::size_t queues) {
    if (of.pfc.classes != 0) return of.buffer;  // its ingress decides
    const auto own = static_cast<std::int64_t>(of.priorities);
    const std::int64_t frame = of.mtu + std::int64_t{kEthernetHeaderBytes + kFcsBytes} + of.cell;
    if (of.admission == Admission::fixed_limit) return std::min(of.buffer, own * of.queue_limit);
    // A queue takes a frame while it has less than alpha times what is free: one after the other a share of the rest.
    const auto pool = static_cast<double>(of.buffer - of.reserve * static_cast<std::int64_t>(queues));
    const double shared = pool * (1 - std::pow(1 + of.alpha, -static_cast<double>(own)));
    return std::min(of.buffer, static_cast<std::int64_t>(std::ceil(shared)) + own * (of.reserve + frame));
}

/// Their bytes on the wire: the shortest frames, which fill a cell, have the most preambles and gaps.
std::int64_t on_the_wire(const SwitchConfig& of, std::int64_t held) {
    constexpr std::int64_t kAround = 20;
    const std::int64_t shortest = (std::int64_t{kMinFrameBytes} + of.cell - 1) / of.cell * of.cell;
    return held + held * kAround / shortest;
}

}  // namespace

LateFrames::LateFrames(const RunConfig& config)
    : config_(config), routes_(config.names.size(), config.switches.size(), config.links), feeds_(config.links.size()) {
    if (config.switches.empty()) return;
    for (const TrafficConfig& item : config.traffic) {
        for (const unsigned from : item.from) {
            for (const unsigned to : item.responders(from)) {
                feed(from, to);
                feed(to, from);
            }
        }
    }
}

void LateFrames::feed(unsigned from, unsigned to) {
    std::size_t last = 0;
    for (const Routes::Port& hop : routes_.path(from, to)) {
        if (config_.links[hop.link].between.at(hop.side).kind == Node::Kind::network_switch)
            feeds_[hop.link].at(hop.side).insert(last);
        last = hop.link;
    }
}

std::size_t LateFrames::queues(std::size_t of_switch) const {
    return routes_.ports(of_switch).size() * config_.switches[of_switch].priorities;
}

/// Behind one link that is no faster nothing gathers but what is on its way through.
Time LateFrames::held(const SwitchConfig& of, std::size_t number, const Routes::Port& out) const {
    const LinkConfig& link = config_.links[out.link];
    const std::set<std::size_t>& feeds = feeds_[out.link].at(out.side);
    const bool alone = feeds.size() == 1 && !of.learning && of.pfc.classes == 0 &&
                       config_.links[*feeds.begin()].timing.per_byte >= link.timing.per_byte;
    constexpr std::int64_t kThrough = 2 * (std::int64_t{kMaxFrameBytes} + 20);
    const std::int64_t most = on_the_wire(of, most_held(of, queues(number)));
    return of.latency + link.timing.per_byte * (alone ? std::min(most, kThrough) : most);
}

Time LateFrames::behind(const LinkConfig& link) {
    Time late = link.delay;
    if (link.duplication > 0 || link.reordering > 0) late += link.lateness;
    if (link.duplication > 0) late += link.lateness + link.timing.serialisation(kMaxFrameBytes) + link.timing.gap();
    if (link.delay_variation > 0) late += link.jitter;
    return late;
}

LateFrames::Parts LateFrames::parts(unsigned from, unsigned to) const {
    Parts parts;
    for (const Routes::Port& hop : routes_.path(from, to)) {
        const LinkConfig& link = config_.links[hop.link];
        parts.links += behind(link);
        const Node& node = link.between.at(hop.side);
        if (node.kind != Node::Kind::network_switch) continue;
        const Time there = held(config_.switches[node.index], node.index, hop);
        parts.switches += there;
        if (there > parts.there) {
            parts.there = there;
            parts.slowest = node.index;
        }
    }
    return parts;
}

}  // namespace rnicsim
