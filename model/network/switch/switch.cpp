// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/switch.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/ethernet/ipv4.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rnicsim {
namespace {

// What a cut-through switch has to have of a frame: DA, SA, type, and of IPv4 as much as says its class.
constexpr std::int64_t kHeaderBytes = 22;
constexpr MacAddress kOwnAddress{0x02, 0, 0, 0, 0, 0};  // of pause frames: nobody answers them

}  // namespace

Switch::Switch(sc_core::sc_module_name name, const SwitchConfig& config, const SwitchLogic::Ports& ports,
               const Environment& environment)
    : sc_module(name),
      logic_(config, ports, environment.random, environment.number),
      queues_(!config.first_come_first_served()),
      learns_(config.learning),
      environment_(environment),
      wakeup_("wakeup"),
      due_(ports.timing.size(), kEndOfTime) {
    for (std::size_t i = 0; i < ports.timing.size(); ++i) {
        ports_.emplace_back(("port" + std::to_string(i)).c_str(), ports.timing[i],
                            config.mode == SwitchMode::cut_through, wakeup_, due_[i]);
    }
    SC_HAS_PROCESS(Switch);
    SC_METHOD(wake);
    wakeup_.wakes(sensitive);
    dont_initialize();
}

/// When something is to be decided about the first frame.
inline void Switch::Port::plan() {
    if (arriving_.empty()) {
        due_ = kEndOfTime;
        return;
    }
    const Arriving& first = arriving_.front();
    due_ = first.end;
    if (cut_through_ && !stored_)
        due_ = due_ - timing_.per_byte * (static_cast<std::int64_t>(first.frame->length()) - kHeaderBytes);
}

void Switch::Port::put(FrameRef frame, Time end) {
    const bool first = arriving_.empty();
    arriving_.push({std::move(frame), end});
    if (!first) return;
    plan();
    wakeup_.at(due_);
}

void Switch::wake() {
    const Time now = wakeup_.woke();
    if (queues_) logic_.settle(now);
    Time next = kEndOfTime;
    for (std::size_t i = 0; i < due_.size(); ++i) {
        if (due_[i] <= now) take_arrivals(ports_[i], i, now);
        next = std::min(next, due_[i]);
    }
    if (queues_) {
        while (const auto departure = logic_.begins(now)) send(*departure);
        next = std::min(next, logic_.next());
    }
    wakeup_.sleep_until(next);
}

inline SwitchLogic::Arrival Switch::arrival(std::size_t port, const Frame& frame) const {
    SwitchLogic::Arrival of{.port = port,
                            .length = static_cast<std::int64_t>(frame.length()),
                            .fcs_good = frame.fcs_good(),
                            .to = host_of(frame.destination())};
    if (learns_) of.from = host_of(frame.source());
    if (queues_) {
        of.traffic_class = static_cast<std::uint8_t>(traffic_class(frame));
        of.ecn_capable = ecn_capable(frame);
    }
    return of;
}

inline void Switch::carry_out(const SwitchLogic::Verdict& verdict, FrameRef frame, std::uint32_t handle, Time now) {
    if (verdict.dropped) {
        if (environment_.observer != nullptr) environment_.observer->frame_dropped(environment_.node, *frame, now);
        if (queues_) static_cast<void>(take(handle));
    } else if (verdict.departure) {
        ports_[verdict.departure->port].out->put(std::move(frame), verdict.departure->end);
    }
}

inline void Switch::forward(FrameRef frame, Time now, SwitchLogic::Arrival& arrival) {
    if (frame->ether_type() == kMacControlEtherType && arrival.fcs_good) {
        if (const auto pause = read_pause_frame(*frame)) return logic_.hears(now, arrival.port, *pause);
    }
    if (queues_) arrival.handle = keep(frame);
    const SwitchLogic::Verdict verdict = logic_.arrives(now, arrival);
    if (!logic_.floods()) return carry_out(verdict, std::move(frame), arrival.handle, now);
    carry_out(verdict, frame, arrival.handle, now);
    while (logic_.floods()) {
        const std::uint32_t handle = queues_ ? keep(frame) : 0;
        carry_out(logic_.also(now, handle), frame, handle, now);
    }
}

void Switch::take_arrivals(Port& port, std::size_t number, Time now) {
    while (port.due_ <= now) {
        const Frame& first = *port.arriving_.front().frame;
        SwitchLogic::Arrival decided = arrival(number, first);
        port.stored_ = false;
        if (port.arriving_.front().end > now) {  // its header is in
            if (first.ether_type() == kMacControlEtherType || !logic_.cuts_through(now, decided)) {
                port.stored_ = true;
                port.plan();
                continue;
            }
            decided.fcs_good = true;  // nobody knows yet; whoever gets the frame will see
        }
        FrameRef frame = port.arriving_.pop().frame;
        port.plan();
        forward(std::move(frame), now, decided);
    }
}

void Switch::send(const SwitchLogic::Departure& departure) {
    FrameRef frame;
    if (departure.pause) {
        frame = environment_.frames.take();
        write_pause_frame(*frame, kOwnAddress, logic_.pause_frame());
        if (environment_.observer != nullptr)
            environment_.observer->frame_sent(environment_.node, *frame, departure.end);
    } else {
        frame = take(departure.handle);
        if (departure.marked) {
            if (frame.shared()) frame = environment_.frames.copy(*frame);
            mark_congestion(*frame);
        }
    }
    ports_[departure.port].out->put(std::move(frame), departure.end);
}

std::uint32_t Switch::keep(FrameRef frame) {
    if (unused_.empty()) {
        unused_.push_back(static_cast<std::uint32_t>(kept_.size()));
        kept_.emplace_back();
    }
    const std::uint32_t handle = unused_.back();
    unused_.pop_back();
    kept_[handle] = std::move(frame);
    return handle;
}

FrameRef Switch::take(std::uint32_t handle) {
    unused_.push_back(handle);
    return std::exchange(kept_[handle], {});
}

SwitchLogic& Switch::settled() {
    logic_.settle(current_time());
    return logic_;
}

bool Switch::idle() const {
    return logic_.queued() == 0 && std::ranges::all_of(ports_, [](const Port& port) { return port.arriving_.empty(); });
}

}  // namespace rnicsim
