// SPDX-License-Identifier: Apache-2.0
// Times of the wire in cycles: what tests at 1 Gb/s count in.
#pragma once

#include "testbench/records/report_clock.h"

namespace rnicsim {

constexpr Time cycles(std::int64_t n) { return kReportClock.time(Cycle{n}); }

}  // namespace rnicsim
