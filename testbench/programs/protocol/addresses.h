// SPDX-License-Identifier: Apache-2.0
// IPv4 addresses of a scenario's hosts: the upper half here, the lower half is the host's number from 1.
#pragma once

#include <cstdint>

namespace rnicsim::programs {

inline constexpr std::uint32_t kUpperHalf = 0xFFFF0000U;
inline constexpr std::uint32_t kHosts = 0x0A000000U;  ///< 10.0.0.0/16: what GIDs and the connection manager say
inline constexpr std::uint32_t kTwins =
    0x7F010000U;  ///< 127.1.0.0/16: the same hosts, where TCP of the machine is used, too

}  // namespace rnicsim::programs
