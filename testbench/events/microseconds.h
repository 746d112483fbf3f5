// SPDX-License-Identifier: Apache-2.0
// Times for people and for Chrome's trace format.
#pragma once

#include "tlm/time/time.h"

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
/// The same, exact: with picoseconds where there are any, "12.480" or "12.480320".
inline std::string exact_microseconds(Time time) {
    const std::int64_t ps = std::abs(time.ps) % kNanosecond.ps;
    return ps == 0 ? microseconds(time) : fmt::format("{}{:03}", microseconds(time), ps);
}

}  // namespace rnicsim
