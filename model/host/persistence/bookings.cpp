#include "model/host/persistence/bookings.h"

#include <algorithm>

namespace rnicsim {

Time BusyTimes::free(Time from, Time length) const {
    if (busy_.empty()) return from;
    if (busy_.back().begin <= from && length != Time{}) return std::max(from, busy_.back().end);
    auto next = std::ranges::upper_bound(busy_, from, {}, &Busy::end);
    for (; next != busy_.end() && next->begin < from + length; ++next) from = std::max(from, next->end);
    return from;
}

void BusyTimes::book(Time at, Time length) {
    if (length == Time{}) return;
    if (busy_.empty() || busy_.back().begin <= at) {
        busy_.push_back({at, at + length});
    } else {
        busy_.insert(std::ranges::upper_bound(busy_, at, {}, &Busy::begin), {at, at + length});
    }
}

void BusyTimes::forget(Time now) {
    while (!busy_.empty() && busy_.front().end <= now) busy_.pop_front();
}

std::int64_t Places::held(Time at) const { return before_ + entries_.until(at) - leavings_.until(at); }

Time Places::free(Time from) const {
    if (before_ + entries_.count() < places_) return from;
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

void Places::enter(Time at) { entries_.insert(at); }

void Places::leave(Time at) { leavings_.insert(at); }

void Places::forget(Time now) {
    for (; !entries_.empty() && entries_.front() <= now; entries_.pop_front()) ++before_;
    for (; !leavings_.empty() && leavings_.front() <= now; leavings_.pop_front()) --before_;
}

}  // namespace rnicsim
