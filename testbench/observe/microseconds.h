// Times for people and for Chrome's trace format.
#pragma once

#include "testbench/report_clock.h"

#include <fmt/format.h>

#include <string>

namespace rnicsim {

/// "12.480": exact, for a cycle is a whole number of nanoseconds.
inline std::string microseconds(Cycle cycles) {
    const std::int64_t ns = kReportClock.time(cycles).ps / kNanosecond.ps;
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace rnicsim
