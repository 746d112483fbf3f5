// SPDX-License-Identifier: Apache-2.0
// Numbers of 24 bits that count on from 2^24 - 1 to 0: packet, message and send sequence numbers (IBTA vol. 1, 9.7.2).
#pragma once

#include <compare>
#include <cstdint>

namespace rnicsim::roce {

struct Psn {
    static constexpr std::uint32_t kMask = 0xFF'FFFF;
    std::uint32_t n = 0;  ///< below 2^24

    friend constexpr bool operator==(Psn, Psn) = default;
    friend constexpr Psn operator+(Psn a, std::uint32_t k) { return {(a.n + k) & kMask}; }
    friend constexpr Psn operator-(Psn a, std::uint32_t k) { return {(a.n - k) & kMask}; }
};

/// How far `a` is ahead of `b`: -2^23 .. 2^23 - 1. There is no order of PSNs, only this.
constexpr std::int32_t ahead(Psn a, Psn b) {
    const std::uint32_t difference = (a.n - b.n) & Psn::kMask;
    return static_cast<std::int32_t>(difference << 8) / 256;
}

/// Number of a queue pair.
struct Qpn {
    std::uint32_t n = 0;  ///< below 2^24
    friend constexpr auto operator<=>(Qpn, Qpn) = default;
};

}  // namespace rnicsim::roce
