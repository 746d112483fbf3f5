// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/switch_logic.h"

#include "model/network/switch/red.h"
#include "tlm/ethernet/frame.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace rnicsim {
namespace {

std::int64_t all_headroom(const SwitchConfig& config, const std::vector<std::int64_t>& by_port) {
    return std::popcount(config.pfc.classes) * std::reduce(by_port.begin(), by_port.end());
}

}  // namespace

SwitchLogic::SwitchLogic(const SwitchConfig& config, Ports ports, const RandomSource& random, unsigned number)
    : config_(config),
      table_(config, std::move(ports.routes), ports.timing.size()),
      random_(random),
      number_(number),
      buffer_(config, ports.timing.size() * config.priorities, all_headroom(config, ports.headroom)),
      ingress_(config, std::move(ports.headroom)) {
    ports_.reserve(ports.timing.size());
    for (const MacTiming& timing : ports.timing) {
        ports_.push_back({.timing = timing, .free_at = {}, .counters = {}});
        if (config.first_come_first_served()) continue;
        const Time reaction = config.pause_reaction != Time{} ? config.pause_reaction : longest_pause_reaction(timing);
        egress_.push_back({EgressQueues(config), PauseState(timing, reaction)});
    }
}

void SwitchLogic::first_leaves(Time now) {
    const Leaving left = leaving_.front();
    std::pop_heap(leaving_.begin(), leaving_.end(), Later());
    leaving_.pop_back();
    egress_.empty() ? buffer_.release(left.port, left.bytes) : release(now, left);
    --queued_;
    queued_bytes_ -= static_cast<std::uint64_t>(left.bytes);
    Counters& counters = ports_[left.port].counters;
    ++counters.out;
    counters.out_bytes += static_cast<std::uint64_t>(left.bytes);
}

void SwitchLogic::release(Time now, const Leaving& left) {
    const std::size_t queue = queue_of(left.port, left.traffic_class);
    if (!config_.pfc.lossless(left.traffic_class)) return buffer_.release(queue, left.bytes);
    const std::int64_t cells = buffer_.in_cells(left.bytes);
    buffer_.let_go(queue, cells, ingress_.release(left.ingress, left.traffic_class, cells));
    if (!ingress_.resumes(left.ingress, left.traffic_class, buffer_)) return;
    --pausing_;
    tell(now, left.ingress, left.traffic_class);
}

inline std::optional<DropReason> SwitchLogic::refuses(const Arrival& frame) const {
    if (frame.length < static_cast<std::int64_t>(kMinFrameBytes)) return DropReason::runt;
    if (frame.length > config_.mtu + static_cast<std::int64_t>(kEthernetHeaderBytes + kFcsBytes))
        return DropReason::oversize;
    if (!frame.fcs_good) return DropReason::bad_fcs;
    return std::nullopt;
}

std::optional<DropReason> SwitchLogic::admit(Time now, const Arrival& frame, std::size_t egress) {
    const std::size_t queue = queue_of(egress, frame.traffic_class);
    if (!config_.pfc.lossless(frame.traffic_class)) return buffer_.admit(queue, frame.length);
    const std::int64_t cells = buffer_.in_cells(frame.length);
    const bool before = ingress_.paused(frame.port, frame.traffic_class);
    const std::optional<std::int64_t> shared = ingress_.admit(frame.port, frame.traffic_class, cells, buffer_);
    if (ingress_.paused(frame.port, frame.traffic_class) && !before) {
        ++pausing_;
        tell(now, frame.port, frame.traffic_class);
    }
    if (!shared) return DropReason::headroom;
    buffer_.hold(queue, cells, *shared);
    return std::nullopt;
}

/// The wire is busy with it from `begin` on, and its bytes are free when it has left.
inline Time SwitchLogic::wire_takes(std::size_t number, Time begin, Leaving frame) {
    Port& port = ports_[number];
    frame.end = begin + port.timing.serialisation(static_cast<std::size_t>(frame.bytes));
    frame.port = static_cast<std::uint16_t>(number);
    port.free_at = frame.end + port.timing.gap();
    leaving_.push_back(frame);
    std::push_heap(leaving_.begin(), leaving_.end(), Later());
    return frame.end;
}

SwitchLogic::Verdict SwitchLogic::drop(const Arrival& frame, DropReason reason) {
    Counters& arrived = ports_[frame.port].counters;
    ++arrived.dropped[static_cast<std::size_t>(reason)];
    arrived.dropped_bytes += static_cast<std::uint64_t>(frame.length);
    return {reason, {}};
}

inline SwitchLogic::Verdict SwitchLogic::leaves_by(Time now, const Arrival& frame, std::size_t egress) {
    Port& port = ports_[egress];
    const bool queues = !egress_.empty();
    if (const auto reason = queues ? admit(now, frame, egress) : buffer_.admit(egress, frame.length)) {
        ++port.counters.refused;
        return drop(frame, *reason);
    }
    ++queued_;
    queued_bytes_ += static_cast<std::uint64_t>(frame.length);
    const Time ready = now + config_.latency;
    if (!queues) {
        const Time begin = std::max(ready, port.free_at);
        const Time end = wire_takes(egress, begin, {.bytes = frame.length});
        return {std::nullopt, Departure{.port = egress, .begin = begin, .end = end, .handle = frame.handle}};
    }
    QueuedFrame waits{.handle = frame.handle,
                      .length = frame.length,
                      .ready = ready,
                      .ingress = static_cast<std::uint16_t>(frame.port),
                      .traffic_class = frame.traffic_class,
                      .ecn_capable = frame.ecn_capable};
    waits.marked = config_.ecn.at == EcnConfig::At::enqueue && frame.ecn_capable &&
                   marks(egress, queue_of(egress, frame.traffic_class));
    egress_[egress].queues.push(config_.priority_of(frame.traffic_class), waits);
    look(std::max(waits.ready, port.free_at), egress);
    return {};
}

SwitchLogic::Verdict SwitchLogic::arrives(Time now, const Arrival& frame) {
    settle(now);
    Counters& arrived = ports_[frame.port].counters;
    ++arrived.in;
    arrived.in_bytes += static_cast<std::uint64_t>(frame.length);
    to_flood_.clear();
    if (const auto reason = refuses(frame)) return drop(frame, *reason);
    if (frame.from) table_.learn(*frame.from, frame.port, now);
    const std::size_t way = table_.way(frame.to, frame.port, now);
    if (way == ForwardingTable::kAll) return flood(now, frame);
    return way == ForwardingTable::kNone ? drop(frame, DropReason::no_route) : leaves_by(now, frame, way);
}

SwitchLogic::Verdict SwitchLogic::flood(Time now, const Arrival& frame) {
    for (std::size_t port = ports_.size(); port-- > 0;) {
        if (port != frame.port) to_flood_.push_back(port);
    }
    if (to_flood_.empty()) return drop(frame, DropReason::no_route);
    flooded_ = frame;
    const std::size_t copies = to_flood_.size() - 1;
    ports_[frame.port].counters.copies += copies;
    ports_[frame.port].counters.copied_bytes += copies * static_cast<std::uint64_t>(frame.length);
    return also(now, frame.handle);
}

SwitchLogic::Verdict SwitchLogic::also(Time now, std::uint32_t handle) {
    const std::size_t egress = to_flood_.back();
    to_flood_.pop_back();
    flooded_.handle = handle;
    return leaves_by(now, flooded_, egress);
}

bool SwitchLogic::cuts_through(Time now, const Arrival& frame) {
    Arrival good = frame;
    good.fcs_good = true;  // nobody knows yet
    const std::size_t egress = table_.way(frame.to, frame.port, now);
    if (refuses(good) || egress >= ports_.size()) return false;
    const Port& port = ports_[egress];
    // A faster port would run out of bytes.
    if (port.timing.per_byte < ports_[frame.port].timing.per_byte || port.free_at > now + config_.latency) return false;
    if (!egress_.empty()) {
        Egress& out = egress_[egress];
        if (out.to_tell != 0 || !out.queues.empty() || out.pauses.paused(frame.traffic_class, now)) return false;
    }
    ++ports_[frame.port].counters.cut_through;
    return true;
}

void SwitchLogic::hears(Time now, std::size_t port, const PauseFrame& frame) {
    ++ports_[port].counters.pauses_heard;
    if (config_.pfc.classes == 0) return;
    egress_[port].pauses.hears(frame, now);
    look(now, port);
}

void SwitchLogic::look(Time at, std::size_t port) {
    if (egress_[port].look_at <= at) return;  // whoever looks then looks again
    egress_[port].look_at = at;
    looks_.push_back({at, port});
    std::push_heap(looks_.begin(), looks_.end(), Later());
}

void SwitchLogic::tell(Time now, std::size_t port, unsigned of_class) {
    egress_[port].to_tell = static_cast<std::uint8_t>(egress_[port].to_tell | 1U << of_class);
    look(std::max(now, ports_[port].free_at), port);
}

Time SwitchLogic::next() const {
    const Time at = looks_.empty() ? kEndOfTime : looks_.front().at;
    // A paused sender may go on as soon as there is room.
    return pausing_ != 0 && !leaving_.empty() ? std::min(at, leaving_.front().end) : at;
}

std::optional<SwitchLogic::Departure> SwitchLogic::begins(Time now) {
    settle(now);
    while (!looks_.empty() && looks_.front().at <= now) {
        const Look due = looks_.front();
        std::pop_heap(looks_.begin(), looks_.end(), Later());
        looks_.pop_back();
        if (egress_[due.port].look_at != due.at) continue;  // an earlier one was asked for behind it
        egress_[due.port].look_at = kEndOfTime;
        const auto departure = look_at(due.port, now);
        look_again(due.port, now);
        if (departure) return departure;
    }
    return std::nullopt;
}

/// When the other end of a port has to hear again that it pauses.
Time SwitchLogic::repeats_at(std::size_t port) const {
    Time next = kEndOfTime;
    for (unsigned i = 0; i < kTrafficClasses; ++i) {
        if (config_.pfc.lossless(i) && ingress_.paused(port, i) && egress_[port].repeat_at.at(i) != Time{})
            next = std::min(next, egress_[port].repeat_at.at(i));
    }
    return next;
}

void SwitchLogic::look_again(std::size_t port, Time now) {
    Egress& egress = egress_[port];
    Time next = repeats_at(port);
    if (egress.to_tell != 0) next = now;
    if (!egress.queues.empty()) {
        const Time ready = ports_[port].free_at > now ? now : egress.queues.next_ready(now);
        next = std::min({next, ready, egress.pauses.next_end(now)});
    }
    if (next != kEndOfTime) look(std::max(next, ports_[port].free_at), port);
}

std::optional<SwitchLogic::Departure> SwitchLogic::look_at(std::size_t port, Time now) {
    Egress& egress = egress_[port];
    if (ports_[port].free_at > now) return std::nullopt;
    if (repeats_at(port) <= now) {
        for (unsigned i = 0; i < kTrafficClasses; ++i) {
            if (ingress_.paused(port, i) && egress.repeat_at.at(i) <= now)
                egress.to_tell = static_cast<std::uint8_t>(egress.to_tell | 1U << i);
        }
    }
    if (egress.to_tell != 0) return send_pause(port, now);
    if (const auto priority = egress.queues.choose(now, egress.pauses)) return send(port, *priority, now);
    return std::nullopt;
}

SwitchLogic::Departure SwitchLogic::send_pause(std::size_t number, Time now) {
    Port& port = ports_[number];
    Egress& egress = egress_[number];
    Departure departure{.port = number, .begin = now, .end = now + port.timing.serialisation(kMinFrameBytes)};
    departure.pause = true;
    pause_frame_ = {};
    for (unsigned i = 0; i < kTrafficClasses; ++i) {
        if ((egress.to_tell >> i & 1U) == 0) continue;
        const bool pause = ingress_.paused(number, i);
        pause_frame_.quanta.at(i) = static_cast<std::uint16_t>(pause ? config_.pfc.quanta : 0);
        egress.repeat_at.at(i) = {};
        if (!pause) continue;
        egress.repeat_at.at(i) = departure.end + Time{quanta(port.timing, config_.pfc.quanta).ps / 2};
    }
    egress.to_tell = 0;
    ++port.counters.pauses_sent;
    port.free_at = departure.end + port.timing.gap();
    return departure;
}

SwitchLogic::Departure SwitchLogic::send(std::size_t number, unsigned priority, Time now) {
    Egress& egress = egress_[number];
    QueuedFrame frame = egress.queues.front(priority);
    if (config_.ecn.at == EcnConfig::At::dequeue && frame.ecn_capable)
        frame.marked = marks(number, number * config_.priorities + priority);
    egress.queues.pop(priority);
    ports_[number].counters.marked += frame.marked ? 1 : 0;
    const Time end = wire_takes(
        number, now, {.ingress = frame.ingress, .traffic_class = frame.traffic_class, .bytes = frame.length});
    return {.port = number, .begin = now, .end = end, .handle = frame.handle, .marked = frame.marked};
}

bool SwitchLogic::marks(std::size_t port, std::size_t queue) {
    const std::uint64_t decision = egress_[port].decisions++;
    const double chance = mark_chance(config_.ecn, ports_[port].timing, buffer_.queued(queue));
    if (chance <= 0 || chance >= 1) return chance > 0;
    return random_.uniform(RandomStream::ecn_marking, std::uint64_t{number_} << 32U | port, queue, decision) < chance;
}

std::int64_t SwitchLogic::queued_at(std::size_t port) const {
    std::int64_t all = 0;
    for (unsigned i = 0; i < config_.priorities; ++i) all += buffer_.queued(port * config_.priorities + i);
    return all;
}

std::int64_t SwitchLogic::queue_high_water(std::size_t port) const {
    std::int64_t most = 0;
    for (unsigned i = 0; i < config_.priorities; ++i)
        most = std::max(most, buffer_.queue_high_water(port * config_.priorities + i));
    return most;
}

bool SwitchLogic::stopped(std::size_t port, Time now) {
    if (egress_.empty() || egress_[port].queues.empty()) return false;
    return egress_[port].pauses.next_end(now) != kEndOfTime;
}

}  // namespace rnicsim
