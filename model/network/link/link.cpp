// SPDX-License-Identifier: Apache-2.0
#include "model/network/link/link.h"

#include "tlm/ethernet/ipv4.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rnicsim {
namespace {

FrameRef damaged_copy(const Frame& frame, std::uint32_t bit, FramePool& frames) {
    FrameRef copy = frames.copy(frame);
    bit %= static_cast<std::uint32_t>(frame.length()) * 8;
    copy->writable_bytes()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    return copy;
}

}  // namespace

Link::Lane::Lane(sc_core::sc_module_name name, unsigned from_side, const LinkConfig& config,
                 const Environment& environment)
    : sc_module(name),
      hop_{environment.nodes.at(from_side), environment.nodes.at(1 - from_side)},
      timing_(config.timing),
      delay_(config.delay),
      lateness_(config.lateness),
      environment_(environment),
      identity_(environment.faults.concerns_frames(environment.number)
                    ? std::make_unique<FrameIdentity>(environment.number, from_side, environment.naming.namers())
                    : nullptr),
      last_(Time{} - timing_.gap()),
      wakeup_("wakeup") {
    in.bind(*this);
    SC_METHOD(wake);
    wakeup_.wakes(sensitive);
    dont_initialize();
}

/// A wire carries one frame at a time: when one can end that would end at `end`.
inline Time Link::Lane::behind_last(Time end, std::size_t length) const {
    return std::max(end, last_ + timing_.gap() + timing_.serialisation(length));
}

inline void Link::Lane::carry(FrameRef frame, Time end) {
    last_ = end;
    ++counters_.carried;
    if (environment_.observer != nullptr) environment_.observer->frame_carried(hop_, *frame, end);
    out->put(std::move(frame), end);
}

void Link::Lane::put(FrameRef frame, Time end) {
    ++counters_.taken;
    if (!identity_) {
        const Time arrives = behind_last(end + delay_, frame->length());
        return carry(std::move(frame), arrives);
    }
    const bool markable = ecn_capable(*frame) && !congestion_marked(*frame);
    const FrameFate fate = environment_.faults.frame(identity_->identify(*frame), end, markable);
    if (fate.lost) {
        ++counters_.lost;
        if (environment_.observer != nullptr) environment_.observer->frame_lost(hop_, *frame, end);
        return;
    }
    if (fate.marked) {
        ++counters_.marked;
        if (frame.shared()) frame = environment_.frames.copy(*frame);
        mark_congestion(*frame);
    }
    if (fate.delayed != Time{}) ++counters_.delayed;
    // The delay counts from its own end: delays of earlier frames do not add up.
    not_before_ = std::max(not_before_, end + delay_ + fate.delayed);
    Arrival arrival{not_before_, std::move(frame), {}};
    if (fate.damaged) {
        ++counters_.damaged;
        arrival.damaged = damaged_copy(*arrival.frame, *fate.damaged, environment_.frames);
    }
    std::optional<Arrival> copy;
    if (fate.copy) {
        copy = arrival;
        copy->copy = true;
        copy->end += timing_.serialisation(arrival.frame->length()) + timing_.gap() + *fate.copy;
    }
    if (fate.overtaken != Time{}) {
        ++counters_.overtaken;
        arrival.end += fate.overtaken;
        hold(std::move(arrival));
    } else {
        release(arrival.end);
        deliver(std::move(arrival));
    }
    if (copy) {
        ++counters_.held_copies;
        hold(std::move(*copy));
    }
}

void Link::Lane::hold(Arrival arrival) {
    held_.insert(std::ranges::upper_bound(held_, arrival.end, {}, &Arrival::end), std::move(arrival));
    release({});
    if (!held_.empty()) wakeup_.at(leaves(held_.front()));
}

/// When a held frame must be delivered: a frame sent from then on ends after this one begins. A MAC hands a frame over
/// when it begins to send it; its last byte leaves at least as much later as the shortest frame takes.
Time Link::Lane::leaves(const Arrival& held) const {
    const Time begins = held.end - timing_.serialisation(held.frame->length());
    return begins - delay_ - timing_.serialisation(kMinFrameBytes) + timing_.per_byte;
}

/// Delivers the held frames that arrive by `until`, and those that are due: so it does not matter whether the kernel
/// wakes this module or the sending one first.
void Link::Lane::release(Time until) {
    const Time now = current_time();
    while (!held_.empty() && (held_.front().end <= until || leaves(held_.front()) <= now)) {
        Arrival first = std::move(held_.front());
        held_.erase(held_.begin());
        deliver(std::move(first));
    }
}

void Link::Lane::deliver(Arrival arrival) {
    const Time end = behind_last(arrival.end, arrival.frame->length());
    if (arrival.copy) {
        // On a full wire copies would delay the frames behind them without limit: a copy that finds no room is
        // dropped.
        if (end > arrival.end + lateness_) {
            ++counters_.dropped_copies;
            return;
        }
        ++counters_.copied;
    }
    if (!arrival.damaged) return carry(std::move(arrival.frame), end);
    last_ = end;
    ++counters_.carried;
    if (environment_.observer != nullptr)
        environment_.observer->frame_damaged(hop_, *arrival.frame, *arrival.damaged, end);
    out->put(std::move(arrival.damaged), end);
}

void Link::Lane::wake() {
    wakeup_.woke();
    release({});
    wakeup_.sleep_until(held_.empty() ? kEndOfTime : leaves(held_.front()));
}

Link::Link(sc_core::sc_module_name name, const LinkConfig& config, const Environment& environment)
    : sc_module(name), forth_("forth", 0, config, environment), back_("back", 1, config, environment) {}

}  // namespace rnicsim
