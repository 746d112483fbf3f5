// Bookings of what a stage has: its time, and its places. They come in the order in which requests are booked; one that
// may pass others comes with a time before theirs, so both find what is left between bookings.
#pragma once

#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace rnicsim {

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
    std::int64_t before_ = 0;              // have entered and not left among those that are forgotten
    std::deque<Time> entries_, leavings_;  // sorted
};

}  // namespace rnicsim
