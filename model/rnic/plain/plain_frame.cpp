// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/plain/plain_frame.h"

#include "tlm/ethernet/host_address.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr std::size_t kUdp = kIpv4At + kIpv4HeaderBytes;
constexpr std::size_t kOwn = kUdp + 8;
constexpr std::uint16_t kDiscard = 9;            // RFC 863
constexpr std::uint16_t kFirstPrivate = 49'152;  // RFC 6335

}  // namespace

void write_plain_frame(Frame& frame, const PlainFrame& of) {
    frame.format(mac_address(of.to), mac_address(of.from), kIpv4EtherType, of.bytes);
    const std::span<std::uint8_t> bytes = frame.writable_bytes();
    write_ipv4(bytes, {.from = of.from,
                       .to = of.to,
                       .protocol = kIpv4Udp,
                       .bytes = static_cast<std::uint16_t>(of.bytes),
                       .dscp = static_cast<std::uint8_t>(of.traffic_class << 3U),
                       .ecn = of.ecn_capable ? Ecn::capable : Ecn::not_capable});
    put_u16(bytes, kUdp, static_cast<std::uint16_t>(kFirstPrivate + of.item));
    put_u16(bytes, kUdp + 2, kDiscard);
    put_u16(bytes, kUdp + 4, static_cast<std::uint16_t>(of.bytes - kIpv4HeaderBytes));
    put_u16(bytes, kUdp + 6, 0);  // no checksum
    put_u16(bytes, kOwn, of.item);
    put_u16(bytes, kOwn + 2, static_cast<std::uint16_t>(of.from));
    put_u16(bytes, kOwn + 4, static_cast<std::uint16_t>(of.id >> 16U));
    put_u16(bytes, kOwn + 6, static_cast<std::uint16_t>(of.id));
    std::ranges::fill(bytes.subspan(kOwn + 8), std::uint8_t{0});
    frame.seal();
}

std::optional<PlainFrame> read_plain_frame(const Frame& frame) {
    const std::span<const std::uint8_t> bytes = frame.without_fcs();
    if (bytes.size() < kOwn + 8 || frame.ether_type() != kIpv4EtherType || bytes[kIpv4At + 9] != kIpv4Udp ||
        get_u16(bytes, kUdp + 2) != kDiscard) {
        return std::nullopt;
    }
    PlainFrame of;
    of.from = get_u16(bytes, kOwn + 2);
    of.to = host_of(frame.destination()).value_or(0);
    of.item = get_u16(bytes, kOwn);
    of.id = static_cast<std::uint32_t>(get_u16(bytes, kOwn + 4)) << 16U | get_u16(bytes, kOwn + 6);
    of.bytes = get_u16(bytes, kIpv4At + 2);
    of.traffic_class = static_cast<std::uint8_t>(traffic_class(frame));
    of.ecn_capable = ecn_capable(frame);
    of.marked = congestion_marked(frame);
    return of;
}

}  // namespace rnicsim
