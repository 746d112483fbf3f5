// SPDX-License-Identifier: Apache-2.0
// UDP under RoCEv2 (IBTA vol. 1, annex 17): its port, and the source port of a QP.
#pragma once

#include "tlm/roce/header.h"

#include <cstddef>
#include <cstdint>

namespace rnicsim::roce {

inline constexpr std::uint16_t kUdpPort = 4791;
inline constexpr std::size_t kUdpBytes = 8;

/// Of a flow label of 20 bits: folded to the 14 bits of the private ports, as Linux and rdma-core do it.
constexpr std::uint16_t source_port(std::uint32_t flow_label) {
    const std::uint32_t label = flow_label & 0xF'FFFFU;
    return static_cast<std::uint16_t>(0xC000U | ((label ^ label >> 14U) & 0x3FFFU));
}

/// Alike in both directions and constant for a pair of QPs, so that each keeps its way and its order; different for
/// different pairs, so that they spread. Linux and rdma-core do it so: the product of the QP numbers is folded to a
/// flow label of 20 bits.
constexpr std::uint32_t flow_label(Qpn one, Qpn other) {
    std::uint64_t product = std::uint64_t{one.n} * other.n;
    product ^= product >> 20U;
    product ^= product >> 40U;
    return static_cast<std::uint32_t>(product & 0xF'FFFF);
}
constexpr std::uint16_t source_port(Qpn one, Qpn other) { return source_port(flow_label(one, other)); }

}  // namespace rnicsim::roce
