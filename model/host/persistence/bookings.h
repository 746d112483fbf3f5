// SPDX-License-Identifier: Apache-2.0
// Bookings of what a stage has: its time, and its places. They come in the order in which requests are booked; one that
// may pass others comes with a time before theirs, so both find what is left between bookings.
#pragma once

#include "tlm/time/time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace rnicsim {

/// Times in their order. Most come behind all others, and the first ones are forgotten: they lie side by side, so that
/// finding one is quick.
class SortedTimes {
  public:
    [[nodiscard]] bool empty() const { return first_ == times_.size(); }
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(times_.size() - first_); }
    /// Those up to `at`, this included.
    [[nodiscard]] std::int64_t until(Time at) const {
        if (empty() || times_.back() <= at) return count();
        const bool is_behind = asked_ > first_ && at < times_[asked_ - 1];
        asked_ = place_behind(at, is_behind ? first_ : asked_);
        return static_cast<std::int64_t>(asked_ - first_);
    }
    /// ... and those behind it.
    [[nodiscard]] std::span<const Time> behind(Time at) const {
        return std::span(times_).subspan(first_ + static_cast<std::size_t>(until(at)));
    }
    void insert(Time at) {
        if (empty() || times_.back() <= at) {
            times_.push_back(at);
        } else {
            times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(place_behind(at, first_)), at);
        }
    }
    /// Forgets those up to `at`, this included; returns how many.
    std::int64_t forget(Time at) {
        const std::size_t before = first_;
        first_ = place_behind(at, first_);
        const auto gone = static_cast<std::int64_t>(first_ - before);
        if (first_ >= kMany && 2 * first_ >= times_.size()) {
            times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(first_));
            asked_ -= std::min(asked_, first_);
            first_ = 0;
        }
        asked_ = std::max(asked_, first_);
        return gone;
    }

  private:
    static constexpr std::size_t kMany = 64;  // gaps below it are not worth moving the rest
    /// The place of the first behind `at`, which is at `from` or not far behind it: steps grow.
    [[nodiscard]] std::size_t place_behind(Time at, std::size_t from) const {
        std::size_t step = 1;
        for (; from + step <= times_.size() && times_[from + step - 1] <= at; step *= 2) from += step;
        const std::size_t end = std::min(from + step - 1, times_.size());
        return static_cast<std::size_t>(std::upper_bound(times_.begin() + static_cast<std::ptrdiff_t>(from),
                                                         times_.begin() + static_cast<std::ptrdiff_t>(end), at) -
                                        times_.begin());
    }

    std::vector<Time> times_;  // from first_ on
    std::size_t first_ = 0;
    mutable std::size_t asked_ = 0;  // what until() has found: the next one asks for a time a little behind it
};

/// Does one thing at a time.
class BusyTimes {
  public:
    /// From `from` on, when it is free for so long. Length > 0.
    [[nodiscard]] Time free(Time from, Time length) const {
        if (busy_.empty()) return from;
        return is_last(from) ? std::max(from, busy_.back().end) : gap(from, length);
    }
    /// Has nobody booked anything behind it?
    [[nodiscard]] bool is_last(Time at) const { return busy_.empty() || busy_.back().begin <= at; }
    /// Precondition: free.
    void book(Time at, Time length) {
        if (!busy_.empty() && busy_.back().end == at) {
            busy_.back().end = at + length;  // goes on
        } else {
            insert({at, at + length});
        }
    }
    /// Nothing is asked for before `now` any more.
    void forget(Time now) {
        while (!busy_.empty() && busy_.front().end <= now) busy_.pop_front();
    }

  private:
    struct Busy {
        Time begin, end;
    };
    [[nodiscard]] Time gap(Time from, Time length) const;
    void insert(const Busy& busy);

    std::deque<Busy> busy_;  // by time, apart
};

/// Holds so many at a time.
class Places {
  public:
    explicit Places(std::int64_t places) : places_(places) {}

    /// From `from` on, when one is free; kEndOfTime: when one has left of whom that is not known yet.
    [[nodiscard]] Time free(Time from) const {
        return before_ + entries_.count() < places_ || held(from) < places_ ? from : one_leaves(from);
    }
    /// The first time after `from` and before `until` at which all are taken: who stays until then would be one too
    /// many. kEndOfTime: none.
    [[nodiscard]] Time full(Time from, Time until) const;
    /// Of so many how many find one at `at` or later, whoever leaves; 0: also if others enter later.
    [[nodiscard]] std::size_t vacant(Time at, std::size_t of) const {
        if (entries_.until(at) != entries_.count()) return 0;
        return std::min(of, static_cast<std::size_t>(std::max(places_ - held(at), std::int64_t{0})));
    }
    void enter(Time at) { entries_.insert(at); }
    void leave(Time at) { leavings_.insert(at); }
    void forget(Time now) { before_ += entries_.forget(now) - leavings_.forget(now); }

  private:
    [[nodiscard]] std::int64_t held(Time at) const { return before_ + entries_.until(at) - leavings_.until(at); }
    [[nodiscard]] Time one_leaves(Time from) const;

    std::int64_t places_;
    std::int64_t before_ = 0;  // have entered and not left among those that are forgotten
    SortedTimes entries_, leavings_;
};

}  // namespace rnicsim
