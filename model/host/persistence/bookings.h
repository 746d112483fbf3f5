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
    [[nodiscard]] Time front() const { return times_[first_]; }
    /// Those up to `at`, this included.
    [[nodiscard]] std::int64_t until(Time at) const {
        if (empty() || at < front()) return 0;
        if (times_.back() <= at) return static_cast<std::int64_t>(times_.size() - first_);
        return static_cast<std::int64_t>(place_behind(at) - first_);
    }
    /// ... and those behind it.
    [[nodiscard]] std::span<const Time> behind(Time at) const {
        return std::span(times_).subspan(first_ + static_cast<std::size_t>(until(at)));
    }
    void insert(Time at) {
        if (empty() || times_.back() <= at) {
            times_.push_back(at);
        } else {
            times_.insert(times_.begin() + static_cast<std::ptrdiff_t>(place_behind(at)), at);
        }
    }
    void pop_front() {
        if (++first_ < kMany || 2 * first_ < times_.size()) return;
        times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }

  private:
    static constexpr std::size_t kMany = 64;  // gaps below it are not worth moving the rest
    [[nodiscard]] std::size_t place_behind(Time at) const {
        return static_cast<std::size_t>(
            std::upper_bound(times_.begin() + static_cast<std::ptrdiff_t>(first_), times_.end(), at) - times_.begin());
    }

    std::vector<Time> times_;  // from first_ on
    std::size_t first_ = 0;
};

/// Does one thing at a time.
class BusyTimes {
  public:
    /// From `from` on, when it is free for so long.
    [[nodiscard]] Time free(Time from, Time length) const;
    /// Precondition: free.
    void book(Time at, Time length);
    /// Nothing is asked for before `now` any more.
    void forget(Time now);

  private:
    struct Busy {
        Time begin, end;
    };
    std::deque<Busy> busy_;  // by time, apart
};

/// Holds so many at a time.
class Places {
  public:
    explicit Places(std::int64_t places) : places_(places) {}

    /// From `from` on, when one is free; kEndOfTime: when one has left of whom that is not known yet.
    [[nodiscard]] Time free(Time from) const;
    /// The first time after `from` and before `until` at which all are taken: who stays until then would be one too
    /// many. kEndOfTime: none.
    [[nodiscard]] Time full(Time from, Time until) const;
    void enter(Time at);
    void leave(Time at);
    void forget(Time now);

  private:
    [[nodiscard]] std::int64_t held(Time at) const;

    std::int64_t places_;
    std::int64_t before_ = 0;  // have entered and not left among those that are forgotten
    SortedTimes entries_, leavings_;
};

}  // namespace rnicsim
