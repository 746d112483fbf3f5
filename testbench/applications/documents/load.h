// SPDX-License-Identifier: Apache-2.0
// How many bytes a host registers for data, by how busy it is: the thesis' equation 3.1, and its algorithm 2 as
// printed.
#pragma once

#include <cmath>
#include <cstdint>

namespace rnicsim::applications {

enum class PoolSizing : std::uint8_t {
    slots,     ///< a buffer for each slot
    equation,  ///< by equation 3.1
    printed    ///< by algorithm 2, a fault: a host that has no memory left registers most
};

struct HostLoad {
    double memory = 0;   ///< of its memory, what is in use: 0 to 1
    double network = 0;  ///< of its link's rate
};

inline constexpr std::uint64_t kPoolBaseline = 50'000'000;  ///< bytes: S of the thesis, of the size of the log

/// What is free of both, multiplied: 0 to 1.
[[nodiscard]] inline double load_factor(const HostLoad& of) { return (1 - of.memory) * (1 - of.network); }
/// Bytes: k S (1 - THR / B) (1 - U / T), with k = 0.7.
[[nodiscard]] inline std::uint64_t by_equation(const HostLoad& of) {
    constexpr double kRegular = 0.7 * static_cast<double>(kPoolBaseline);
    return static_cast<std::uint64_t>(std::llround(kRegular * load_factor(of)));
}
/// Bytes: by the equation where 0 < load factor < `threshold`, else S.
[[nodiscard]] inline std::uint64_t by_printed_rule(const HostLoad& of, double threshold) {
    const double factor = load_factor(of);
    return factor > 0 && factor < threshold ? by_equation(of) : kPoolBaseline;
}

}  // namespace rnicsim::applications
