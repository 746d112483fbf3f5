// SPDX-License-Identifier: Apache-2.0
// What the Verilog has built in (rtl/README.md). A scenario that uses it may not ask for anything else.
#pragma once

#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim::rtl_contract {

inline constexpr Cycle kGmacTxLatency{4};
inline constexpr Cycle kGmacRxLatency{2};
inline constexpr Cycle kInterpacketGap{12};
inline constexpr std::uint32_t kMtu = 1500;
inline constexpr Cycle kFilterLatency{3};
inline constexpr Cycle kDecision{8};
inline constexpr std::uint32_t kTableEntries = 64;
inline constexpr std::uint32_t kLargestWindow = 8;
inline constexpr Cycle kLongestTimer{(std::int64_t{1} << 31) - 1};  ///< timers count 32 bits, and compare by their sign
inline constexpr std::uint32_t kTxBuffers = 63;                     ///< data frames between fetch and wire, at most
// rnic_core: payload moves at 8 bytes a cycle, twice the link's rate at most, which leaves room for copies.
inline constexpr std::uint32_t kCoreFastestGeneration =
    2;  ///< of one lane: 4 bytes a cycle; of the first generation two
inline constexpr std::uint32_t kCoreTxBuffers = 16;
inline constexpr std::uint32_t kCoreRxBuffers = 28;
inline constexpr Cycle kCoreLeastTimer{100};   ///< of each transfer in flight: a shortest frame takes 84
inline constexpr Cycle kCoreLeastOverhead{8};  ///< what a request may be held up on its way, and some more
inline constexpr std::uint32_t kIndirectSlots = 64;
inline constexpr std::uint32_t kIndirectBytes = 48 * 1024;
inline constexpr Cycle kDmaLeastOverhead{2};
inline constexpr Cycle kDmaMostOverhead{255};
inline constexpr std::uint32_t kDmaMostPieceBytes = 131'071;
inline constexpr std::uint32_t kPersistsHeld = 64;  ///< pm_module, in a card

}  // namespace rnicsim::rtl_contract
