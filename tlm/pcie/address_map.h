// SPDX-License-Identifier: Apache-2.0
// Where a host's devices and memory are in its physical addresses. Memory begins at 0.
#pragma once

#include <cstdint>

namespace rnicsim {

inline constexpr std::uint64_t kBar0 = 0xF000'0000;        ///< the RNIC's registers
inline constexpr std::uint64_t kInterrupts = 0xFEE0'0000;  ///< a write here is an MSI; its data is the vector

}  // namespace rnicsim
