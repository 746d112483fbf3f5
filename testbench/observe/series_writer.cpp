// SPDX-License-Identifier: Apache-2.0
#include "testbench/observe/series_writer.h"

#include "model/network/routes.h"
#include "tlm/ethernet/pause_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace rnicsim {
namespace {

constexpr std::int64_t kAround = static_cast<std::int64_t>(kPreambleAndSfdBytes + kInterpacketGapBytes);

/// Does each frame that enters a switch leave it once, by the port of its route, or is known to be dropped?
bool follows_routes(const RunConfig& run) {
    const auto strays = [](const TapeEntry& entry) {
        const auto* const frame = std::get_if<TapedFrame>(&entry);
        return frame != nullptr && (frame->fault == FrameFault::corrupted || frame->fault == FrameFault::duplicated);
    };
    return std::ranges::none_of(run.switches, &SwitchConfig::learning) &&
           std::ranges::none_of(run.links,
                                [](const LinkConfig& link) { return link.corruption > 0 || link.duplication > 0; }) &&
           (run.tape == nullptr || std::ranges::none_of(*run.tape, strays));
}

/// A switch makes it, and it waits in no queue.
bool is_pause(const WireFrame& frame) {
    return frame.head[12] == kMacControlEtherType >> 8U && frame.head[13] == (kMacControlEtherType & 0xFFU);
}

}  // namespace

SeriesWriter::SeriesWriter(const std::string& name, const RunConfig& run, Time interval, Time from, Time to)
    : file_(name),
      interval_(interval),
      from_(from),
      to_(to),
      hosts_(static_cast<unsigned>(run.names.size())),
      has_queues_(follows_routes(run)) {
    const HostNames names = node_names(run);
    const auto number = [&](const Node& node) {
        return node.kind == Node::Kind::host ? node.index : hosts_ + node.index;
    };
    for (const LinkConfig& link : run.links) {
        for (const unsigned side : {0U, 1U}) {
            const unsigned sender = number(link.between.at(side)), receiver = number(link.between.at(1 - side));
            if (!at_.try_emplace({sender, receiver}, hops_.size()).second) continue;
            hops_.push_back({names[sender] + '>' + names[receiver], link.delay, {}, {}});
        }
    }
    const Routes routes(hosts_, run.switches.size(), run.links);
    for (unsigned s = 0; s < run.switches.size() && has_queues_; ++s) {
        for (unsigned host = 0; host < hosts_; ++host) {
            const std::size_t port = routes.to_hosts(s)[host];
            if (port == routes.ports(s).size()) continue;
            const Routes::Port& way = routes.ports(s)[port];
            const Node& next = run.links[way.link].between.at(1 - way.side);
            ways_[{hosts_ + s, host}] = at_.at({hosts_ + s, number(next)});
        }
    }
    std::string head = "time_us";
    for (const Hop& hop : hops_) head += fmt::format(",{} gbps", hop.name);
    for (const auto& [ends, place] : at_)
        if (ends.first >= hosts_ && has_queues_) head += fmt::format(",{} queue_bytes", hops_[place].name);
    file_.write(head + '\n');
}

SeriesWriter::Hop* SeriesWriter::way_out(unsigned node, unsigned host) {
    const auto found = ways_.find({node, host});
    return found == ways_.end() ? nullptr : &hops_[found->second];
}

void SeriesWriter::count(const LoggedEvent& event) {
    const auto* const frame = std::get_if<WireFrame>(&event.what);
    if (frame == nullptr || frame->step == WireFrame::Step::sent) return;
    const auto queued = [&](unsigned node, Time at, std::int64_t bytes) {
        if (is_pause(*frame)) return;
        if (Hop* const way = way_out(node, frame->to)) way->queued.push_back({at, bytes});
    };
    if (frame->step == WireFrame::Step::dropped) return queued(event.end, event.at, -std::int64_t{frame->bytes});
    Hop& hop = hops_[at_.at({event.end, frame->next})];
    const bool lost = frame->step == WireFrame::Step::lost;
    if (event.end >= hosts_) queued(event.end, lost ? event.at : event.at - hop.delay, -std::int64_t{frame->bytes});
    if (lost) return;
    hop.bytes[interval_of(event.at)] += frame->bytes + kAround;
    if (frame->next >= hosts_) queued(frame->next, event.at, frame->bytes);
}

/// The most that lay there in each interval, by column; of those in which it did not change nothing is said.
std::vector<std::map<std::int64_t, std::int64_t>> SeriesWriter::highest_queues() {
    std::vector<std::map<std::int64_t, std::int64_t>> columns;
    for (const auto& [ends, place] : at_) {
        if (ends.first < hosts_ || !has_queues_) continue;
        std::map<std::int64_t, std::int64_t>& column = columns.emplace_back();
        std::vector<Move>& moves = hops_[place].queued;
        // What leaves goes before what comes at the same time.
        std::ranges::sort(moves, {}, [](const Move& move) { return std::tuple(move.at, move.bytes); });
        std::int64_t now = 0;
        for (const Move& move : moves) {
            const auto [here, fresh] = column.try_emplace(interval_of(move.at), now);
            now += move.bytes;
            here->second = std::max(here->second, now);
            column[interval_of(move.at) + 1] = now;  // until more is known
        }
    }
    return columns;
}

void SeriesWriter::finish() {
    const auto queues = highest_queues();
    // An interval in which nothing changes has a row only beside one in which something does: lines stay flat between.
    std::set<std::int64_t> rows;
    for (const Hop& hop : hops_)
        for (const auto& [interval, bytes] : hop.bytes) rows.insert({interval - 1, interval, interval + 1});
    for (const auto& queue : queues)
        for (const auto& [interval, bytes] : queue) rows.insert(interval);
    const double gbps = 8e3 / static_cast<double>(interval_.ps);
    for (const std::int64_t row : rows) {
        const Time begin = interval_ * row;
        if (row < 0 || begin < from_ || begin >= to_) continue;
        std::string line = fmt::format("{}.{:06}", begin.ps / 1'000'000, begin.ps % 1'000'000);
        for (const Hop& hop : hops_) {
            const auto found = hop.bytes.find(row);
            line += fmt::format(",{:.6g}", found == hop.bytes.end() ? 0 : gbps * static_cast<double>(found->second));
        }
        for (const auto& queue : queues) {
            const auto behind = queue.upper_bound(row);
            line += fmt::format(",{}", behind == queue.begin() ? 0 : std::prev(behind)->second);
        }
        file_.write(line + '\n');
    }
    file_.close();
}

}  // namespace rnicsim
