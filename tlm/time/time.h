// SPDX-License-Identifier: Apache-2.0
// Time between clock domains: links, switches, and whatever joins modules with clocks of their own.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace rnicsim {

/// A point in time or a duration in integer picoseconds: at each rate from 1 to 100 Gb/s a byte takes a whole number
/// of them (8000 to 80). Its range is +-106 days.
struct Time {
    std::int64_t ps = 0;

    friend constexpr auto operator<=>(Time, Time) = default;
    friend constexpr Time operator+(Time a, Time b) { return {a.ps + b.ps}; }
    friend constexpr Time operator-(Time a, Time b) { return {a.ps - b.ps}; }
    friend constexpr Time operator*(Time a, std::int64_t k) { return {a.ps * k}; }
    constexpr Time& operator+=(Time b) {
        ps += b.ps;
        return *this;
    }
};

/// How long bytes take at a rate, rounded down. Precondition: bytes_per_second > 0, bytes < 9 million.
constexpr Time time_of(std::int64_t bytes, std::int64_t bytes_per_second) {
    return {bytes * 1'000'000'000'000 / bytes_per_second};
}

inline constexpr Time kPicosecond{1};
inline constexpr Time kNanosecond{1'000};
inline constexpr Time kMicrosecond{1'000'000};
inline constexpr Time kMillisecond{1'000'000'000};
inline constexpr Time kSecond{1'000'000'000'000};
inline constexpr Time kEndOfTime{std::numeric_limits<std::int64_t>::max()};

}  // namespace rnicsim
