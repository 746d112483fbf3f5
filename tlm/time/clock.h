// SPDX-License-Identifier: Apache-2.0
// The clock of a module: from its cycles to time and back.
#pragma once

#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

namespace rnicsim {

/// Edges at the multiples of its period: all clocks have one at time 0. An edge begins the cycle of its number.
class Clock {
  public:
    /// Precondition: period > 0.
    constexpr explicit Clock(Time period) : period_(period) {}

    [[nodiscard]] constexpr Time period() const { return period_; }
    [[nodiscard]] constexpr std::int64_t cycles_per_second() const { return kSecond.ps / period_.ps; }
    /// When the cycle begins, and how long so many cycles are; of kNever: kEndOfTime.
    [[nodiscard]] constexpr Time time(Cycle cycle) const { return cycle == kNever ? kEndOfTime : period_ * cycle.n; }
    /// The cycle in which a time lies. Precondition: not before 0.
    [[nodiscard]] constexpr Cycle cycle(Time at) const { return {at.ps / period_.ps}; }
    /// The first edge at or after it. Precondition: not before 0.
    [[nodiscard]] constexpr Cycle edge(Time at) const { return {(at.ps + period_.ps - 1) / period_.ps}; }

    friend constexpr bool operator==(const Clock&, const Clock&) = default;

  private:
    Time period_;
};

/// Of a GMII at 1 Gb/s, a byte a cycle: 125 MHz (IEEE 802.3 clause 35).
inline constexpr Clock kGmiiClock{Time{8'000}};

}  // namespace rnicsim
