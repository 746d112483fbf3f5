// SPDX-License-Identifier: Apache-2.0
// Cycles of a clock.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace rnicsim {

/// A point in time or a duration, in cycles of a module's clock (tlm/time/clock.h). What RNICs and hosts do falls on
/// whole cycles.
struct Cycle {
    std::int64_t n = 0;

    friend constexpr auto operator<=>(Cycle, Cycle) = default;
    friend constexpr Cycle operator+(Cycle a, Cycle b) { return {a.n + b.n}; }
    friend constexpr Cycle operator-(Cycle a, Cycle b) { return {a.n - b.n}; }
    friend constexpr Cycle operator*(Cycle a, std::int64_t k) { return {a.n * k}; }
    constexpr Cycle& operator+=(Cycle b) {
        n += b.n;
        return *this;
    }
};

inline constexpr Cycle kNever{std::numeric_limits<std::int64_t>::max()};

}  // namespace rnicsim
