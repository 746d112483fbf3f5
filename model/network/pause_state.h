// SPDX-License-Identifier: Apache-2.0
// Which classes a port may not begin a frame of: what the pause frames that it has got come to. Plain C++.
#pragma once

#include "tlm/ethernet/pause_frame.h"
#include "tlm/time/time.h"

#include <array>
#include <vector>

namespace rnicsim {

class PauseState {
  public:
    PauseState(const MacTiming& timing, Time reaction) : timing_(timing), reaction_(reaction) {}

    /// The last bit of a pause frame arrives at `at`, which may be later than now, but never before that of the frame
    /// before it. A pause holds from `reaction` later on and is over so many quanta behind `at`; 0 quanta end it at
    /// `at`.
    void hears(const PauseFrame& frame, Time at);
    /// Must a frame of this class not begin now? Time never goes back.
    [[nodiscard]] bool paused(unsigned of_class, Time now);
    /// The next time at which a class may go on, or kEndOfTime.
    [[nodiscard]] Time next_end(Time now);

  private:
    /// From `at` on the class is paused until `until`.
    struct Order {
        Time at, until;
    };
    struct OfClass {
        Time until;              // of the order that holds
        std::vector<Order> due;  // those that do not hold yet, oldest first
    };
    OfClass& settled(unsigned of_class, Time now);

    const MacTiming timing_;
    const Time reaction_;
    std::array<OfClass, kTrafficClasses> classes_{};
};

}  // namespace rnicsim
