#include "model/link/lossy_link.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rnicsim {
namespace {

constexpr Cycle kGap{12};  // IEEE 802.3 4.4.2, minimum interpacket gap: 96 bit times
/// A MAC hands a frame over when it begins to send it. The last byte leaves at least this much later.
constexpr Cycle kShortest = serialisation(kMinFrameBytes);

FrameRef damaged_copy(const Frame& frame, std::uint32_t bit, FramePool& frames) {
    FrameRef copy = frames.take();
    copy->truncate(frame.length());
    std::ranges::copy(frame.bytes(), copy->writable_bytes().begin());
    bit %= static_cast<std::uint32_t>(frame.length()) * 8;
    copy->writable_bytes()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    return copy;
}

}  // namespace

LossyLink::Lane::Lane(sc_core::sc_module_name name, unsigned from_end, const LinkConfig& config,
                      const Environment& environment)
    : sc_module(name),
      from_end_(from_end),
      delay_(config.delay),
      lateness_(config.lateness),
      environment_(environment),
      identity_(environment.faults.concerns_frames() ? std::make_unique<FrameIdentity>(from_end) : nullptr),
      last_(Cycle{} - kGap),
      wakeup_("wakeup") {
    in.bind(*this);
    SC_METHOD(wake);
    sensitive << wakeup_.event();
    dont_initialize();
}

void LossyLink::Lane::put(FrameRef frame, Cycle due) {
    if (!identity_) return deliver({due + delay_, std::move(frame), {}});
    const FrameFate fate = environment_.faults.frame(identity_->identify(*frame), due);
    if (fate.lost) {
        ++counters_.lost;
        if (environment_.observer != nullptr) environment_.observer->frame_lost(from_end_, *frame, due);
        return;
    }
    if (fate.delayed != Cycle{}) ++counters_.delayed;
    // The delay counts from its own due time: delays of earlier frames do not add up.
    not_before_ = std::max(not_before_, due + delay_ + fate.delayed);
    Arrival arrival{not_before_, std::move(frame), {}};
    if (fate.damaged) {
        ++counters_.damaged;
        arrival.damaged = damaged_copy(*arrival.frame, *fate.damaged, environment_.frames);
    }
    std::optional<Arrival> copy;
    if (fate.copy) {
        copy = arrival;
        copy->copy = true;
        copy->due += serialisation(arrival.frame->length()) + kGap + *fate.copy;
    }
    if (fate.overtaken != Cycle{}) {
        ++counters_.overtaken;
        arrival.due += fate.overtaken;
        hold(std::move(arrival));
    } else {
        release(arrival.due);
        deliver(std::move(arrival));
    }
    if (copy) hold(std::move(*copy));
}

void LossyLink::Lane::hold(Arrival arrival) {
    held_.insert(std::ranges::upper_bound(held_, arrival.due, {}, &Arrival::due), std::move(arrival));
    release(Cycle{});
    if (!held_.empty()) wakeup_.at(leaves(held_.front()));
}

/// When a held frame must be delivered: a frame sent from then on ends after this one begins.
Cycle LossyLink::Lane::leaves(const Arrival& held) const {
    return held.due - serialisation(held.frame->length()) - delay_ - kShortest + Cycle{1};
}

/// Delivers the held frames that arrive by `until`, and those that are due: so it does not matter whether the kernel
/// wakes this module or the sending one first.
void LossyLink::Lane::release(Cycle until) {
    const Cycle now = current_cycle();
    while (!held_.empty() && (held_.front().due <= until || leaves(held_.front()) <= now)) {
        Arrival first = std::move(held_.front());
        held_.erase(held_.begin());
        deliver(std::move(first));
    }
}

void LossyLink::Lane::deliver(Arrival arrival) {
    // A wire carries one frame at a time.
    const Cycle due = std::max(arrival.due, last_ + kGap + serialisation(arrival.frame->length()));
    if (arrival.copy) {
        // On a full wire copies would delay the frames behind them without limit: a copy that finds no room is
        // dropped.
        if (due > arrival.due + lateness_) return;
        ++counters_.copied;
    }
    arrival.due = due;
    last_ = due;
    ++counters_.carried;
    if (environment_.observer != nullptr) {
        if (arrival.damaged) {
            environment_.observer->frame_damaged(from_end_, *arrival.frame, *arrival.damaged, arrival.due);
        } else {
            environment_.observer->frame_carried(from_end_, *arrival.frame, arrival.due);
        }
    }
    out->put(std::move(arrival.damaged ? arrival.damaged : arrival.frame), arrival.due);
}

void LossyLink::Lane::wake() {
    wakeup_.woke();
    release(Cycle{});
    wakeup_.sleep_until(held_.empty() ? kNever : leaves(held_.front()));
}

LossyLink::LossyLink(sc_core::sc_module_name name, const LinkConfig& config, const Environment& environment)
    : sc_module(name), a_to_b("a_to_b", 0, config, environment), b_to_a("b_to_a", 1, config, environment) {}

}  // namespace rnicsim
