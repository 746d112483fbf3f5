#include "model/host/persistence/bookings.h"

#include <algorithm>

namespace rnicsim {
namespace {

/// Times mostly come in order: then at the end.
void insert_sorted(std::deque<Time>& times, Time at) {
    if (times.empty() || times.back() <= at) {
        times.push_back(at);
    } else {
        times.insert(std::ranges::upper_bound(times, at), at);
    }
}

}  // namespace

Time BusyTimes::free(Time from, Time length) const {
    if (busy_.empty() || busy_.back().end <= from) return from;
    auto next = std::ranges::upper_bound(busy_, from, {}, &Busy::end);
    for (; next != busy_.end() && next->begin < from + length; ++next) from = std::max(from, next->end);
    return from;
}

void BusyTimes::book(Time at, Time length) {
    if (length == Time{}) return;
    busy_.insert(std::ranges::upper_bound(busy_, at, {}, &Busy::begin), {at, at + length});
}

void BusyTimes::forget(Time now) {
    while (!busy_.empty() && busy_.front().end <= now) busy_.pop_front();
}

std::int64_t Places::held(Time at) const {
    const auto until = [at](const std::deque<Time>& times) {
        return std::ranges::upper_bound(times, at) - times.begin();
    };
    return before_ + until(entries_) - until(leavings_);
}

Time Places::free(Time from) const {
    for (;;) {
        const std::int64_t too_many = held(from) - places_ + 1;
        if (too_many <= 0) return from;
        const auto next = std::ranges::upper_bound(leavings_, from);
        if (leavings_.end() - next < too_many) return kEndOfTime;
        from = next[too_many - 1];
    }
}

Time Places::full(Time from, Time until) const {
    for (auto entry = std::ranges::upper_bound(entries_, from); entry != entries_.end() && *entry < until; ++entry) {
        if (held(*entry) >= places_) return *entry;
    }
    return kEndOfTime;
}

void Places::enter(Time at) { insert_sorted(entries_, at); }

void Places::leave(Time at) { insert_sorted(leavings_, at); }

void Places::forget(Time now) {
    for (; !entries_.empty() && entries_.front() <= now; entries_.pop_front()) ++before_;
    for (; !leavings_.empty() && leavings_.front() <= now; leavings_.pop_front()) --before_;
}

}  // namespace rnicsim
