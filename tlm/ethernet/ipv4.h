// SPDX-License-Identifier: Apache-2.0
// The IPv4 header (RFC 791), as far as hosts and switches here read and write it. Bytes count from the beginning of a
// frame.
#pragma once

#include "tlm/ethernet/frame.h"

#include <cstdint>
#include <span>

namespace rnicsim {

inline constexpr std::uint16_t kIpv4EtherType = 0x0800;
inline constexpr std::size_t kIpv4At = kEthernetHeaderBytes;
inline constexpr std::size_t kIpv4HeaderBytes = 20;  // without options
inline constexpr std::uint8_t kIpv4Udp = 17, kIpv4Icmp = 1;

inline void put_u16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}
inline std::uint16_t get_u16(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

/// Internet checksum (RFC 1071): 0 over data that contains its own valid checksum.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes);

/// The two bits behind the DSCP (RFC 3168).
enum class Ecn : std::uint8_t { not_capable = 0, capable = 2, congestion = 3 };

inline constexpr std::uint8_t kHopLimit = 64;  ///< that of Linux (RFC 1700 recommends it)

struct Ipv4 {
    unsigned from = 0, to = 0;  ///< hosts
    std::uint8_t protocol = kIpv4Udp;
    std::uint16_t bytes = 0;  ///< of the packet, this header included
    std::uint8_t dscp = 0;    ///< RFC 2474
    Ecn ecn = Ecn::not_capable;
    bool dont_fragment = false;
    std::uint8_t hop_limit = kHopLimit;
};
/// Writes the header with its checksum. Precondition: `frame` has room for it.
void write_ipv4(std::span<std::uint8_t> frame, const Ipv4& header);

/// Its traffic class, 0 to 7: the upper three bits of the DSCP, of IPv6 as well; of a frame without either it is 0.
unsigned traffic_class(const Frame& frame);
/// May a switch mark it?
bool ecn_capable(const Frame& frame);
bool congestion_marked(const Frame& frame);
/// Marks it "congestion experienced"; its checksums stay right. One whose FCS is wrong stays as it is. Precondition:
/// ecn_capable(frame).
void mark_congestion(Frame& frame);

}  // namespace rnicsim
