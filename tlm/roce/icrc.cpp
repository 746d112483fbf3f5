#include "tlm/roce/icrc.h"

#include "tlm/ethernet/ipv4.h"
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
constexpr std::size_t kMaskedBytes = kIpv4HeaderBytes + kUdpBytes + kBthBytes;  // what holds all masked fields
// From the beginning of the IPv4 header.
constexpr std::size_t kMaskedTos = 1, kMaskedTtl = 8, kMaskedIpChecksum = 10, kMaskedUdpChecksum = kIpv4HeaderBytes + 6,
                      kMaskedCongestion = kIpv4HeaderBytes + kUdpBytes + place(Part::bth, "FECN").offset / 8;
constexpr std::uint8_t kOnes = 0xFF;

}  // namespace

std::uint32_t icrc(std::span<const std::uint8_t> packet) {
    assert(packet.size() >= kMaskedBytes);
    std::array<std::uint8_t, kInFront + kMaskedBytes> front;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::ranges::fill(std::span(front).first<kInFront>(), kOnes);
    const std::span<std::uint8_t> headers = std::span(front).subspan(kInFront);
    std::ranges::copy(packet.first(kMaskedBytes), headers.begin());
    headers[kMaskedTos] = headers[kMaskedTtl] = kOnes;
    headers[kMaskedIpChecksum] = headers[kMaskedIpChecksum + 1] = kOnes;
    headers[kMaskedUdpChecksum] = headers[kMaskedUdpChecksum + 1] = kOnes;
    headers[kMaskedCongestion] = kOnes;
    const std::span<const std::uint8_t> rest = packet.subspan(kMaskedBytes);
    return libdeflate_crc32(libdeflate_crc32(0, front.data(), front.size()), rest.data(), rest.size());
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
