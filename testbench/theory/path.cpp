// SPDX-License-Identifier: Apache-2.0
#include "testbench/theory/path.h"

#include "tlm/ethernet/frame.h"
#include "tlm/time/clock.h"

#include <algorithm>
#include <cstddef>

namespace rnicsim {
namespace {

bool faults_by_chance_alone(const LinkConfig& link) {
    return link.loss_process == "independent" && link.duplication == 0 && link.reordering == 0 &&
           link.delay_variation == 0 && link.down.probability == 0;
}

}  // namespace

Path::Path(const RunConfig& run, unsigned from, unsigned to) {
    const Routes routes(run.names.size(), run.switches.size(), run.links);
    const std::vector<Routes::Port> way = routes.path(from, to);
    const std::vector<Routes::Port> back = routes.path(to, from);
    there_and_back_ = std::ranges::equal(way.rbegin(), way.rend(), back.begin(), back.end(), {}, &Routes::Port::link,
                                         &Routes::Port::link);
    for (const Routes::Port& port : way) {
        const LinkConfig& link = run.links.at(port.link);
        links_.push_back(link);
        const Node& next = link.between.at(1 - port.side);
        if (next.kind != Node::Kind::network_switch) continue;
        switches_.push_back(run.switches.at(next.index));
        const auto queues = static_cast<std::int64_t>(routes.ports(next.index).size()) * switches_.back().priorities;
        reserved_.push_back(switches_.back().reserve * queues);
    }
}

bool Path::applies(std::int64_t outstanding, std::int64_t length) const {
    const auto has_room = [&](const SwitchConfig& of, std::int64_t reserved) {
        const auto cells = [&](std::int64_t bytes) { return (bytes + of.cell - 1) / of.cell * of.cell; };
        const std::int64_t used = outstanding * (cells(length) + cells(kMinFrameBytes));
        const std::int64_t left = of.buffer - reserved - used;
        if (of.admission == Admission::fixed_limit) return left >= 0 && used <= of.queue_limit;
        return static_cast<double>(used) <= of.alpha * static_cast<double>(left);
    };
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        const SwitchConfig& of = switches_[i];
        const bool fits = length <= of.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes);
        if (of.mode != SwitchMode::store_and_forward || of.pfc.classes != 0 || !fits || !has_room(of, reserved_[i]))
            return false;
    }
    return there_and_back_ && !links_.empty() && std::ranges::all_of(links_, faults_by_chance_alone);
}

double Path::loss() const {
    double arrives = 1;
    for (const LinkConfig& link : links_) arrives *= (1 - link.loss) * (1 - link.corruption);
    return 1 - arrives;
}

/// A shorter last frame waits at a switch for the one before it; others never wait, as no link is slower than the
/// first.
std::int64_t Path::train(std::int64_t frames, std::int64_t length, std::int64_t last, Cycle gap) const {
    const auto bytes = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const Time apart = links_.front().timing.serialisation(bytes(length)) + kGmiiClock.time(gap);
    Time before = apart * std::max<std::int64_t>(frames - 2, 0);  // where the frame before the last begins
    Time begins = apart * (frames - 1);
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const MacTiming& timing = links_[i].timing;
        const Time before_ends = before + timing.serialisation(bytes(length));
        if (i > 0 && frames > 1) begins = std::max(begins, before_ends + timing.gap());
        const Time further = links_[i].delay + (i < switches_.size() ? switches_[i].latency : Time{});
        before = before_ends + further;
        begins = begins + timing.serialisation(bytes(last)) + further;
    }
    return kGmiiClock.edge(begins).n;
}

}  // namespace rnicsim
