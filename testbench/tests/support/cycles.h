// SPDX-License-Identifier: Apache-2.0
// Times of the wire in cycles: what tests at 1 Gb/s count in.
#pragma once

#include "testbench/records/report_clock.h"

#include <cstdint>

namespace rnicsim {

constexpr Time cycles(std::int64_t n) { return kReportClock.time(Cycle{n}); }

constexpr std::int64_t in_cycles(Time time) { return kReportClock.cycle(time).n; }

}  // namespace rnicsim
