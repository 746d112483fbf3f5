// SPDX-License-Identifier: Apache-2.0
#include "model/host/persistence/bookings.h"

namespace rnicsim {

Time BusyTimes::gap(Time from, Time length) const {
    auto next = std::ranges::upper_bound(busy_, from, {}, &Busy::end);
    for (; next != busy_.end() && next->begin < from + length; ++next) from = std::max(from, next->end);
    return from;
}

void BusyTimes::insert(const Busy& busy) {
    if (busy_.empty() || busy_.back().begin <= busy.begin) {
        busy_.push_back(busy);
    } else {
        busy_.insert(std::ranges::upper_bound(busy_, busy.begin, {}, &Busy::begin), busy);
    }
}

/// Precondition: all are taken.
Time Places::one_leaves(Time from) const {
    for (;;) {
        const std::int64_t too_many = held(from) - places_ + 1;
        if (too_many <= 0) return from;
        const std::span<const Time> next = leavings_.behind(from);
        if (static_cast<std::int64_t>(next.size()) < too_many) return kEndOfTime;
        from = next[static_cast<std::size_t>(too_many - 1)];
    }
}

Time Places::full(Time from, Time until) const {
    for (const Time entry : entries_.behind(from)) {
        if (entry >= until) break;
        if (held(entry) >= places_) return entry;
    }
    return kEndOfTime;
}

}  // namespace rnicsim
