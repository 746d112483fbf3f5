// SPDX-License-Identifier: Apache-2.0
// The clock in whose cycles results, records and events are reported.
#pragma once

#include "tlm/time/clock.h"
#include "tlm/wakeup.h"

namespace rnicsim {

/// That of the Gigabit RNIC and of its host, whose times are whole cycles of it.
inline constexpr Clock kReportClock = kGmiiClock;

inline Cycle current_cycle() { return kReportClock.cycle(current_time()); }
/// `at` is that of something that has ended: the cycle after its last one.
constexpr Cycle reported(Time at) { return kReportClock.edge(at); }

}  // namespace rnicsim
