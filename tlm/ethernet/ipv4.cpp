// SPDX-License-Identifier: Apache-2.0
#include "tlm/ethernet/ipv4.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/ethernet/ipv6.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr std::size_t kTos = kIpv4At + 1, kChecksum = kIpv4At + 10;
constexpr std::uint8_t kEcnBits = 3;

bool has(const Frame& frame, std::uint16_t type, std::size_t header) {
    return frame.ether_type() == type && frame.length() >= kIpv4At + header + kFcsBytes;
}

/// The traffic class of a frame with IPv4 or IPv6; of others, 0.
std::uint8_t tos(const Frame& frame) {
    if (has(frame, kIpv4EtherType, kIpv4HeaderBytes)) return frame.front(kTos + 1)[kTos];
    if (!has(frame, kIpv6EtherType, kIpv6HeaderBytes)) return 0;
    return static_cast<std::uint8_t>(get_u16(frame.front(kIpv4At + 2), kIpv4At) >> 4U);
}

}  // namespace

std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) sum += (i % 2 == 0) ? bytes[i] << 8 : bytes[i];
    while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

void write_ipv4(std::span<std::uint8_t> frame, const Ipv4& header) {
    const std::span<std::uint8_t> ip = frame.subspan(kIpv4At, kIpv4HeaderBytes);
    std::ranges::fill(ip, std::uint8_t{0});
    ip[0] = 0x45;  // version 4, five words
    ip[1] = static_cast<std::uint8_t>(header.dscp << 2 | static_cast<std::uint8_t>(header.ecn));
    put_u16(ip, 2, header.bytes);
    if (header.dont_fragment) ip[6] = 0x40;
    ip[8] = header.hop_limit;  // TTL
    ip[9] = header.protocol;
    ip[12] = ip[16] = 10;  // 10.0.x.y
    put_u16(ip, 14, host_number(header.from));
    put_u16(ip, 18, host_number(header.to));
    put_u16(ip, 10, internet_checksum(ip));
}

unsigned traffic_class(const Frame& frame) { return tos(frame) >> 5U; }

bool ecn_capable(const Frame& frame) {
    // Both codes of "capable" may be marked, and a mark stays.
    return (tos(frame) & kEcnBits) != 0;
}

bool congestion_marked(const Frame& frame) {
    return (tos(frame) & kEcnBits) == static_cast<std::uint8_t>(Ecn::congestion);
}

void mark_congestion(Frame& frame) {
    if (!frame.fcs_good()) return;  // damaged on a link and cut through: a new FCS would make it a good one
    const std::span<std::uint8_t> bytes = frame.writable_bytes();
    if (frame.ether_type() == kIpv6EtherType) {
        bytes[kTos] = static_cast<std::uint8_t>(bytes[kTos] | kEcnBits << 4U);
        frame.seal();
        return;
    }
    bytes[kTos] = static_cast<std::uint8_t>(bytes[kTos] | kEcnBits);
    put_u16(bytes, kChecksum, 0);
    put_u16(bytes, kChecksum, internet_checksum(bytes.subspan(kIpv4At, kIpv4HeaderBytes)));
    frame.seal();
}

}  // namespace rnicsim
