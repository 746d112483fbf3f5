// SPDX-License-Identifier: Apache-2.0
// How long a processor copies: at one rate what lies in its caches, at another one what does not fit into them.
#pragma once

#include "model/host/cpu/config.h"
#include "tlm/time/clock.h"

#include <cstdint>

namespace rnicsim {

/// `of`: bytes of the buffer that these are a part of: its size says where they lie. Without a rate they take no time.
[[nodiscard]] inline Time copy_time(const CopyCost& cost, std::uint64_t bytes, std::uint64_t of) {
    const std::int64_t rate = of <= cost.llc ? cost.warm : cost.cold;
    if (rate == 0 || bytes == 0) return {};
    // In two steps: bytes times a second in picoseconds has no room above 9 MB.
    constexpr std::int64_t kMillion = 1'000'000;
    const auto n = static_cast<std::int64_t>(bytes);
    return {n / kMillion * (kMillion * kSecond.ps / rate) + n % kMillion * kSecond.ps / rate};
}

/// One call that copies all of a buffer.
[[nodiscard]] inline Cycle copy_cost(const CopyCost& cost, std::uint64_t bytes, const Clock& clock) {
    return cost.base + clock.edge(copy_time(cost, bytes, bytes));
}
/// A part of one, without what each call costs.
[[nodiscard]] inline Cycle copy_cost_of_part(const CopyCost& cost, std::uint64_t bytes, std::uint64_t of,
                                             const Clock& clock) {
    return clock.edge(copy_time(cost, bytes, of));
}

}  // namespace rnicsim
