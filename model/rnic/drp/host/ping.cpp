// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/host/ping.h"

#include "tlm/ethernet/host_address.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr std::size_t kIp = kIpv4At;
constexpr std::size_t kIcmp = kIp + kIpv4HeaderBytes;
constexpr std::uint8_t kEchoReply = 0, kEchoRequest = 8;  // RFC 792

/// The IPv4 packet without Ethernet padding, or nothing if its length field does not fit.
std::span<const std::uint8_t> packet(std::span<const std::uint8_t> frame) {
    if (frame.size() < kIp + kPingHeaderBytes || frame[12] != 0x08 || frame[13] != 0x00 || frame[kIp] != 0x45)
        return {};
    const std::size_t bytes = get_u16(frame, kIp + 2);
    if (bytes < kPingHeaderBytes || bytes > frame.size() - kIp) return {};
    return frame.subspan(kIp, bytes);
}

void write_icmp_checksum(std::span<std::uint8_t> frame, std::size_t packet_bytes) {
    put_u16(frame, kIcmp + 2, 0);
    put_u16(frame, kIcmp + 2, internet_checksum(frame.subspan(kIcmp, packet_bytes - kIpv4HeaderBytes)));
}

}  // namespace

void make_echo_request(std::span<std::uint8_t> frame, unsigned from, unsigned to, std::uint16_t id,
                       std::uint16_t sequence) {
    const std::size_t packet_bytes = frame.size() - kIp;
    std::ranges::copy(mac_address(to), frame.begin());
    std::ranges::copy(mac_address(from), frame.begin() + 6);
    put_u16(frame, 12, kIpv4EtherType);
    write_ipv4(frame,
               {.from = from, .to = to, .protocol = kIpv4Icmp, .bytes = static_cast<std::uint16_t>(packet_bytes)});
    std::ranges::fill(frame.subspan(kIcmp, kPingHeaderBytes - kIpv4HeaderBytes), std::uint8_t{0});
    frame[kIcmp] = kEchoRequest;
    put_u16(frame, kIcmp + 4, id);
    put_u16(frame, kIcmp + 6, sequence);
    for (std::size_t i = kIcmp + 8; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(i);
    write_icmp_checksum(frame, packet_bytes);
}

EchoKind classify_echo(std::span<const std::uint8_t> frame) {
    const std::span<const std::uint8_t> ip = packet(frame);
    if (ip.empty() || ip[9] != kIpv4Icmp || internet_checksum(ip.first(kIpv4HeaderBytes)) != 0 ||
        internet_checksum(ip.subspan(kIpv4HeaderBytes)) != 0) {
        return EchoKind::none;
    }
    const std::uint8_t type = ip[kIpv4HeaderBytes];
    if (type == kEchoRequest) return EchoKind::request;
    return type == kEchoReply ? EchoKind::reply : EchoKind::none;
}

void turn_into_reply(std::span<std::uint8_t> frame) {
    const std::size_t packet_bytes = packet(frame).size();
    std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
    std::swap_ranges(frame.begin() + kIp + 12, frame.begin() + kIp + 16, frame.begin() + kIp + 16);
    frame[kIcmp] = kEchoReply;
    write_icmp_checksum(frame, packet_bytes);
}

}  // namespace rnicsim
