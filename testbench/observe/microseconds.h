// Times for people and for Chrome's trace format.
#pragma once

#include "testbench/report_clock.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace rnicsim {

/// "12.480", "-0.008": whole nanoseconds, the rest is left out.
inline std::string microseconds(Time time) {
    const std::int64_t ns = std::abs(time.ps) / kNanosecond.ps;
    return fmt::format("{}{}.{:03}", time < Time{} ? "-" : "", ns / 1000, ns % 1000);
}
/// Exact, for a cycle is a whole number of nanoseconds.
inline std::string microseconds(Cycle cycles) { return microseconds(kReportClock.time(cycles)); }

}  // namespace rnicsim
