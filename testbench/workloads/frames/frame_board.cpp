// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/frames/frame_board.h"

#include "model/faults/random_key.h"
#include "model/rnic/plain/end_config.h"
#include "model/rnic/plain/plain_end.h"
#include "testbench/events/microseconds.h"
#include "testbench/records/report_clock.h"
#include "testbench/workloads/frames/frame_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rnicsim {
namespace {

/// What a frame of the item takes of the wire.
std::int64_t bits_of(const TrafficConfig& item) {
    return 8 * (kPreambleAndSfdBytes + static_cast<std::int64_t>(frame_bytes(item.size)) + kInterpacketGapBytes);
}

std::int64_t& part(Sample& sample, FramePart which) { return sample.parts.at(static_cast<std::size_t>(which)); }

}  // namespace

FrameBoard::FrameBoard(const RunConfig& config)
    : config_(config), random_{config.seed, config.repetition}, in_order_(frames_keep_order(config)) {
    wires_.resize(config.names.size());
    for (const LinkConfig& link : config.links) {
        for (const Node& node : link.between) {
            if (node.kind == Node::Kind::host) wires_.at(node.index).timing = link.timing;
        }
    }
    for (std::size_t i = 0; i < config.traffic.size(); ++i) {
        const TrafficConfig& item = config.traffic[i];
        if (!item.is(Workload::frames)) continue;
        for (const unsigned host : item.from) {
            Flow flow;
            flow.receivers = item.responders(host);
            if (flow.receivers.empty()) continue;
            flow.first = kReportClock.time(item.first_request(host));
            flows_.emplace(std::pair(i, host), std::move(flow));
        }
    }
}

void FrameBoard::attach(System& system) {
    for (const unsigned host : plain_hosts(config_)) {
        std::vector<std::size_t> items;
        for (const auto& [of, flow] : flows_) {
            if (of.second == host) items.push_back(of.first);
        }
        plain_end(system, host).attach(users_.emplace_back(*this, host), items);
    }
}

std::optional<PlainUser::Offer> FrameBoard::next(unsigned host, std::size_t item, Time sent) {
    Flow& flow = flows_.at({item, host});
    const TrafficConfig& config = config_.traffic[item];
    if (flow.offered == config.transfers) return std::nullopt;
    const std::uint32_t id = flow.offered++;
    if (config.pace != 0) {
        flow.ready = flow.first + config.paced(id * bits_of(config));  // exact: nothing adds up
    } else if (config.think != Cycle{}) {
        // Independent of what the wire does with those before: a Poisson process.
        const double uniform = random_.uniform(RandomStream::think, transfer_key(id, host), item, 1);
        const double mean = static_cast<double>(kReportClock.time(config.think).ps);
        flow.ready = (id == 0 ? flow.first : flow.ready) + Time{std::llround(-std::log1p(-uniform) * mean)};
    } else {
        flow.ready = std::max(flow.first, sent);
    }
    rests_until_ = std::max(rests_until_, flow.ready);
    PlainFrame frame;
    frame.from = host;
    frame.to = flow.receivers[id % flow.receivers.size()];
    frame.item = static_cast<std::uint16_t>(item);
    frame.id = id;
    frame.bytes = config.size;
    frame.traffic_class = config.traffic_class;
    frame.ecn_capable = config.ecn_capable;
    Sample& sample = flow.samples[id];
    sample.id = id;
    sample.initiator = static_cast<std::uint16_t>(host);
    sample.responder = static_cast<std::uint16_t>(frame.to);
    sample.item = static_cast<std::uint16_t>(item);
    sample.status = kFrameLost;
    sample.bytes = config.size;
    sample.start = sample.end = flow.ready;
    return PlainUser::Offer{frame, flow.ready};
}

void FrameBoard::sends(const PlainFrame& frame, Time begin) {
    Sample& sample = flows_.at({frame.item, frame.from}).samples[frame.id];
    part(sample, FramePart::waiting) = (begin - sample.start).ps;
    sample.end = begin;
    last_progress_ = std::max(last_progress_, begin);
    Wire& wire = wires_[frame.from];
    if (begin < wire.free_at) violate(frame, begin, "begins before the wire is free");
    wire.free_at = begin + wire.timing.serialisation(frame_bytes(frame.bytes)) + wire.timing.gap();
}

void FrameBoard::arrives(unsigned host, const PlainFrame& frame, Time end) {
    const auto found = flows_.find({frame.item, frame.from});
    if (found == flows_.end() || frame.id >= found->second.offered)
        return violate(frame, end, "arrives, and nobody has sent it");
    Flow& flow = found->second;
    Sample& sample = flow.samples[frame.id];
    const TrafficConfig& item = config_.traffic[frame.item];
    if (sample.responder != host) violate(frame, end, "arrives at " + config_.names[host]);
    if (frame.bytes != sample.bytes || frame.traffic_class != item.traffic_class ||
        frame.ecn_capable != item.ecn_capable) {
        violate(frame, end, "arrives with another size, class or ECN capability");
    }
    if (in_order_ && frame.id < flow.heard[host]) violate(frame, end, "arrives behind a later one, or twice");
    flow.heard[host] = frame.id + 1;
    last_progress_ = last_end_ = std::max(last_end_, end);
    if (!sample.failed()) return;  // a copy
    part(sample, FramePart::wire) = (end - sample.end).ps;
    sample.end = end;
    sample.status = 0;
    sample.mark = frame.marked;
}

void FrameBoard::violate(const PlainFrame& frame, Time at, const std::string& what) {
    if (!violation_.empty()) return;
    violation_ = "invariant violated at " + exact_microseconds(at) + " us: frame " +
                 (frame.from < config_.names.size() ? config_.names.transfer(frame.from, frame.id) : "of nobody") +
                 " of item " + std::to_string(frame.item) + ' ' + what;
}

std::size_t FrameBoard::samples() const {
    std::size_t all = 0;
    for (const auto& [of, flow] : flows_) all += config_.traffic[of.first].transfers;
    return all;
}

void FrameBoard::record_in(std::span<Sample> samples) {
    for (auto& [of, flow] : flows_) {
        flow.samples = samples.first(config_.traffic[of.first].transfers);
        samples = samples.subspan(flow.samples.size());
    }
}

}  // namespace rnicsim
