#include "model/host/ping.h"

#include "model/host_address.h"

#include <algorithm>

namespace rnicsim {
namespace {

constexpr std::size_t kIp = kEthernetHeaderBytes;
constexpr std::size_t kIcmp = kIp + 20;
constexpr std::uint8_t kEchoReply = 0, kEchoRequest = 8;  // RFC 792

void put16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
    bytes[at] = static_cast<std::uint8_t>(value >> 8);
    bytes[at + 1] = static_cast<std::uint8_t>(value);
}

/// Internet checksum (RFC 1071): 0 over data that contains its own valid checksum.
std::uint16_t checksum(std::span<const std::uint8_t> bytes) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) sum += (i % 2 == 0) ? bytes[i] << 8 : bytes[i];
    while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

/// The IPv4 packet without Ethernet padding, or nothing if its length field does not fit.
std::span<const std::uint8_t> packet(std::span<const std::uint8_t> frame) {
    if (frame.size() < kIp + kPingHeaderBytes || frame[12] != 0x08 || frame[13] != 0x00 || frame[kIp] != 0x45)
        return {};
    const std::size_t bytes = static_cast<std::size_t>(frame[kIp + 2]) << 8 | frame[kIp + 3];
    if (bytes < kPingHeaderBytes || bytes > frame.size() - kIp) return {};
    return frame.subspan(kIp, bytes);
}

void write_icmp_checksum(std::span<std::uint8_t> frame, std::size_t packet_bytes) {
    put16(frame, kIcmp + 2, 0);
    put16(frame, kIcmp + 2, checksum(frame.subspan(kIcmp, packet_bytes - 20)));
}

}  // namespace

void make_echo_request(std::span<std::uint8_t> frame, unsigned from, unsigned to, std::uint16_t id,
                       std::uint16_t sequence) {
    const std::size_t packet_bytes = frame.size() - kIp;
    std::ranges::copy(mac_address(to), frame.begin());
    std::ranges::copy(mac_address(from), frame.begin() + 6);
    put16(frame, 12, kIpv4EtherType);
    std::ranges::fill(frame.subspan(kIp, kPingHeaderBytes), std::uint8_t{0});
    frame[kIp] = 0x45;
    put16(frame, kIp + 2, static_cast<std::uint16_t>(packet_bytes));
    frame[kIp + 8] = 64;  // TTL
    frame[kIp + 9] = 1;   // ICMP
    frame[kIp + 12] = frame[kIp + 16] = 10;
    put16(frame, kIp + 14, host_number(from));
    put16(frame, kIp + 18, host_number(to));
    put16(frame, kIp + 10, checksum(frame.subspan(kIp, 20)));
    frame[kIcmp] = kEchoRequest;
    put16(frame, kIcmp + 4, id);
    put16(frame, kIcmp + 6, sequence);
    for (std::size_t i = kIcmp + 8; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(i);
    write_icmp_checksum(frame, packet_bytes);
}

EchoKind classify_echo(std::span<const std::uint8_t> frame) {
    const std::span<const std::uint8_t> ip = packet(frame);
    if (ip.empty() || ip[9] != 1 || checksum(ip.first(20)) != 0 || checksum(ip.subspan(20)) != 0) return EchoKind::none;
    if (ip[20] == kEchoRequest) return EchoKind::request;
    return ip[20] == kEchoReply ? EchoKind::reply : EchoKind::none;
}

void turn_into_reply(std::span<std::uint8_t> frame) {
    const std::size_t packet_bytes = packet(frame).size();
    std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
    std::swap_ranges(frame.begin() + kIp + 12, frame.begin() + kIp + 16, frame.begin() + kIp + 16);
    frame[kIcmp] = kEchoReply;
    write_icmp_checksum(frame, packet_bytes);
}

}  // namespace rnicsim
