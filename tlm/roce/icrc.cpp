// SPDX-License-Identifier: Apache-2.0
#include "tlm/roce/icrc.h"

#include "tlm/ethernet/ipv6.h"
#include "tlm/roce/fields.h"
#include "tlm/roce/udp.h"

#include <libdeflate.h>
#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <array>
#include <cassert>

namespace rnicsim::roce {
namespace {

constexpr std::size_t kInFront = 8;
constexpr std::size_t kMaskedBytes = kUdpBytes + kBthBytes;  // behind the IP header: what holds all masked fields
// From the beginning of the IP header, and of that of UDP.
constexpr std::size_t kMaskedTos = 1, kMaskedTtl = 8, kMaskedIpChecksum = 10, kMaskedHopLimit = 7;
constexpr std::size_t kMaskedUdpChecksum = 6, kMaskedCongestion = kUdpBytes + place(Part::bth, "FECN").offset / 8;
constexpr std::uint8_t kOnes = 0xFF;

}  // namespace

std::uint32_t icrc(std::span<const std::uint8_t> packet) {
    const bool is_ipv6 = packet[0] >> 4U == 6 && packet.size() >= kIpv6HeaderBytes + kMaskedBytes;
    const std::size_t ip = is_ipv6 ? kIpv6HeaderBytes : kIpv4HeaderBytes, masked = ip + kMaskedBytes;
    assert(packet.size() >= masked);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    std::array<std::uint8_t, kInFront + kIpv6HeaderBytes + kMaskedBytes> front;
    std::ranges::fill(std::span(front).first<kInFront>(), kOnes);
    const std::span<std::uint8_t> headers = std::span(front).subspan(kInFront);
    std::ranges::copy(packet.first(masked), headers.begin());
    if (is_ipv6) {  // traffic class and flow label
        headers[0] |= 0x0FU;
        headers[1] = headers[2] = headers[3] = headers[kMaskedHopLimit] = kOnes;
    } else {
        headers[kMaskedTos] = headers[kMaskedTtl] = kOnes;
        headers[kMaskedIpChecksum] = headers[kMaskedIpChecksum + 1] = kOnes;
    }
    headers[ip + kMaskedUdpChecksum] = headers[ip + kMaskedUdpChecksum + 1] = kOnes;
    headers[ip + kMaskedCongestion] = kOnes;
    const std::span<const std::uint8_t> rest = packet.subspan(masked);
    return libdeflate_crc32(libdeflate_crc32(0, front.data(), kInFront + masked), rest.data(), rest.size());
}

void write_icrc(std::span<std::uint8_t> packet_with_room) {
    const std::size_t covered = packet_with_room.size() - kIcrcBytes;
    boost::endian::store_little_u32(&packet_with_room[covered], icrc(packet_with_room.first(covered)));
}

bool icrc_good(std::span<const std::uint8_t> packet) {
    const std::size_t covered = packet.size() - kIcrcBytes;
    return boost::endian::load_little_u32(&packet[covered]) == icrc(packet.first(covered));
}

}  // namespace rnicsim::roce
