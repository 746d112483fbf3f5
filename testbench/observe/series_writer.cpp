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
    for (const ntb::Config& of : run.bridges) {
        const auto [one, other] = std::minmax(of.between[0], of.between[1]);
        Bridge& bridge = bridges_.emplace_back();
        bridge.name = of.name;
        bridge.ways[0].name = of.name + ' ' + names.direction(one, other);
        bridge.ways[1].name = of.name + ' ' + names.direction(other, one);
        for (const Crossing& way : bridge.ways) head += fmt::format(",{0} gbps,{0} credits", way.name);
        head += fmt::format(",{} up", bridge.name);
    }
    file_.write(head + '\n');
}

SeriesWriter::Hop* SeriesWriter::way_out(unsigned node, unsigned host) {
    const auto found = ways_.find({node, host});
    return found == ways_.end() ? nullptr : &hops_[found->second];
}

void SeriesWriter::count(const LoggedEvent& event, const BridgeStep& step) {
    using enum BridgeStep::Step;
    Bridge& bridge = bridges_.at(step.bridge);
    Crossing& way = bridge.ways.at(event.end < step.to ? 0 : 1);
    switch (step.step) {
        case sent:
            if (step.tlp == BridgeTlp::write) way.credits.push_back({event.since, step.tlps});
            break;
        case delivered:
            if (step.has_payload()) way.bytes[interval_of(event.at)] += step.bytes;
            break;
        case credits_back: way.credits.push_back({event.at, -std::int64_t{step.tlps}}); break;
        case link_down: bridge.down.push_back({event.at, 1}); break;
        case link_up: bridge.down.push_back({event.at, -1}); break;
        case to_registers:
        case refused:
        case dropped: break;
    }
}

void SeriesWriter::count(const LoggedEvent& event) {
    if (const auto* const step = std::get_if<BridgeStep>(&event.what)) return count(event, *step);
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

/// The most that there was in each interval; of those in which it did not change nothing is said.
SeriesWriter::Column SeriesWriter::highest(std::vector<Move>& moves) const {
    Column column;
    // What leaves goes before what comes at the same time.
    std::ranges::sort(moves, {}, [](const Move& move) { return std::tuple(move.at, move.by); });
    std::int64_t now = 0;
    for (const Move& move : moves) {
        const auto [here, fresh] = column.try_emplace(interval_of(move.at), now);
        now += move.by;
        here->second = std::max(here->second, now);
        column[interval_of(move.at) + 1] = now;  // until more is known
    }
    return column;
}

std::vector<SeriesWriter::Column> SeriesWriter::highest_queues() {
    std::vector<Column> columns;
    for (const auto& [ends, place] : at_)
        if (ends.first >= hosts_ && has_queues_) columns.push_back(highest(hops_[place].queued));
    return columns;
}

void SeriesWriter::finish() {
    const std::vector<Column> queues = highest_queues();
    struct Of {
        std::array<const Column*, 2> bytes{};
        std::array<Column, 2> credits{};
        Column down;
    };
    std::vector<Of> bridges;
    for (Bridge& bridge : bridges_) {
        bridges.push_back({{&bridge.ways[0].bytes, &bridge.ways[1].bytes},
                           {highest(bridge.ways[0].credits), highest(bridge.ways[1].credits)},
                           highest(bridge.down)});
    }
    // An interval in which nothing changes has a row only beside one in which something does: lines stay flat between.
    std::set<std::int64_t> rows;
    const auto rate_changes = [&](const Column& bytes) {
        for (const auto& [interval, n] : bytes) rows.insert({interval - 1, interval, interval + 1});
    };
    const auto level_changes = [&](const Column& level) {
        for (const auto& [interval, n] : level) rows.insert(interval);
    };
    for (const Hop& hop : hops_) rate_changes(hop.bytes);
    for (const Column& queue : queues) level_changes(queue);
    for (const Of& bridge : bridges) {
        for (const Column* const bytes : bridge.bytes) rate_changes(*bytes);
        for (const Column& credits : bridge.credits) level_changes(credits);
        level_changes(bridge.down);
    }
    const double gbps = 8e3 / static_cast<double>(interval_.ps);
    for (const std::int64_t row : rows) {
        const Time begin = interval_ * row;
        if (row < 0 || begin < from_ || begin >= to_) continue;
        std::string line = fmt::format("{}.{:06}", begin.ps / 1'000'000, begin.ps % 1'000'000);
        const auto rate = [&](const Column& bytes) {
            const auto found = bytes.find(row);
            line += fmt::format(",{:.6g}", found == bytes.end() ? 0 : gbps * static_cast<double>(found->second));
        };
        const auto level = [&](const Column& column) {
            const auto behind = column.upper_bound(row);
            return behind == column.begin() ? 0 : std::prev(behind)->second;
        };
        for (const Hop& hop : hops_) rate(hop.bytes);
        for (const Column& queue : queues) line += fmt::format(",{}", level(queue));
        for (const Of& bridge : bridges) {
            for (const unsigned way : {0U, 1U}) {
                rate(*bridge.bytes.at(way));
                line += fmt::format(",{}", level(bridge.credits.at(way)));
            }
            line += level(bridge.down) == 0 ? ",1" : ",0";
        }
        file_.write(line + '\n');
    }
    file_.close();
}

}  // namespace rnicsim
