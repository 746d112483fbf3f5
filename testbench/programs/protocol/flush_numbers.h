// SPDX-License-Identifier: Apache-2.0
// FLUSH by the numbers of rdma-core's ABI. Its verbs.h in Debian 13 (56) has names for them, that of Debian 12 (44) not
// yet; the library is built with either.
#pragma once

#include <cstdint>

namespace rnicsim::programs {

inline constexpr std::uint8_t kWrFlush = 14;                       ///< IBV_WR_FLUSH
inline constexpr std::uint8_t kWcFlush = 8;                        ///< IBV_WC_FLUSH
inline constexpr std::uint32_t kAccessFlushGlobal = 1U << 8U;      ///< IBV_ACCESS_FLUSH_GLOBAL
inline constexpr std::uint32_t kAccessFlushPersistent = 1U << 9U;  ///< IBV_ACCESS_FLUSH_PERSISTENT
inline constexpr std::uint64_t kQpExWithFlush = 1U << 11U;         ///< IBV_QP_EX_WITH_FLUSH
inline constexpr std::uint8_t kMostFlushPlacement = 3;             ///< IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT
inline constexpr std::uint8_t kMostFlushSelectivity = 1;           ///< IBV_FLUSH_RANGE, IBV_FLUSH_MR

/// Bits of ibv_device_attr_ex::device_cap_flags_ex, as the kernel's uverbs have them: IB_UVERBS_DEVICE_FLUSH_GLOBAL,
/// _FLUSH_PERSISTENT, _ATOMIC_WRITE.
inline constexpr std::uint64_t kDeviceFlushes = 3ULL << 38U, kDeviceAtomicWrite = 1ULL << 40U;

}  // namespace rnicsim::programs
