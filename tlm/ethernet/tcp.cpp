// SPDX-License-Identifier: Apache-2.0
#include "tlm/ethernet/tcp.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>

namespace rnicsim {
namespace {

// From the beginning of the TCP header.
constexpr std::size_t kSequenceAt = 4, kAcknowledgedAt = 8, kOffsetAt = 12, kFlagsAt = 13, kWindowAt = 14,
                      kTcpChecksum = 16, kOptions = 20;
constexpr std::uint8_t kFin = 1, kSyn = 2, kReset = 4, kPush = 8, kAck = 16;
constexpr std::uint8_t kNoOperation = 1, kSegmentOption = 2, kShiftOption = 3, kStampOption = 8;

std::uint8_t flags_of(const TcpHeader& header) {
    return static_cast<std::uint8_t>((header.fin ? kFin : 0) | (header.syn ? kSyn : 0) | (header.reset ? kReset : 0) |
                                     (header.push ? kPush : 0) | (header.ack ? kAck : 0));
}

void write_stamps(std::span<std::uint8_t> option, const TcpHeader& header) {
    option[0] = kStampOption;
    option[1] = 10;
    boost::endian::store_big_u32(&option[2], header.stamp);
    boost::endian::store_big_u32(&option[6], header.echo);
}

std::size_t ip_bytes(std::span<const std::uint8_t> frame) { return get_u16(frame, kIpv4At + 2); }

}  // namespace

void write_tcp(std::span<std::uint8_t> frame, const TcpHeader& header) {
    const std::span<std::uint8_t> tcp = frame.subspan(kTcpAt, header.bytes());
    std::ranges::fill(tcp, std::uint8_t{0});
    put_u16(tcp, 0, header.from);
    put_u16(tcp, 2, header.to);
    boost::endian::store_big_u32(&tcp[kSequenceAt], header.sequence);
    boost::endian::store_big_u32(&tcp[kAcknowledgedAt], header.acknowledged);
    tcp[kOffsetAt] = static_cast<std::uint8_t>(header.bytes() / 4 << 4U);
    tcp[kFlagsAt] = flags_of(header);
    put_u16(tcp, kWindowAt, header.window);
    const std::span<std::uint8_t> options = tcp.subspan(kOptions);
    if (!header.syn) {
        options[0] = options[1] = kNoOperation;
        write_stamps(options.subspan(2), header);
        return;
    }
    options[0] = kSegmentOption;
    options[1] = 4;
    put_u16(options, 2, header.segment);
    options[4] = options[5] = kNoOperation;
    write_stamps(options.subspan(6), header);
    options[16] = kNoOperation;
    options[17] = kShiftOption;
    options[18] = 3;
    options[19] = kTcpWindowShift;
}

void write_tcp_checksum(std::span<std::uint8_t> frame) {
    const std::span<std::uint8_t> tcp = frame.subspan(kTcpAt, ip_bytes(frame) - kIpv4HeaderBytes);
    put_u16(tcp, kTcpChecksum, 0);
    // The pseudo-header: addresses, protocol, length.
    std::uint64_t sum = kIpv4Tcp + tcp.size();
    for (std::size_t at = kIpv4At + 12; at < kTcpAt; at += 2) sum += get_u16(frame, at);
    std::size_t at = 0;
    for (; at + 4 <= tcp.size(); at += 4) sum += boost::endian::load_big_u32(&tcp[at]);
    if (at + 2 <= tcp.size()) {
        sum += get_u16(tcp, at);
        at += 2;
    }
    if (at < tcp.size()) sum += std::uint64_t{tcp[at]} << 8U;
    while (sum >> 16U != 0) sum = (sum & 0xFFFFU) + (sum >> 16U);
    put_u16(tcp, kTcpChecksum, static_cast<std::uint16_t>(~sum));
}

void cut_tcp(std::span<std::uint8_t> header, std::uint32_t offset, std::uint32_t payload, bool last) {
    const std::span<std::uint8_t> ip = header.subspan(kIpv4At, kIpv4HeaderBytes);
    put_u16(ip, 2, static_cast<std::uint16_t>(header.size() - kIpv4At + payload));
    put_u16(ip, 10, 0);
    put_u16(ip, 10, internet_checksum(ip));
    const std::span<std::uint8_t> tcp = header.subspan(kTcpAt);
    boost::endian::store_big_u32(&tcp[kSequenceAt], boost::endian::load_big_u32(&tcp[kSequenceAt]) + offset);
    if (!last) tcp[kFlagsAt] = static_cast<std::uint8_t>(tcp[kFlagsAt] & ~(kFin | kPush));
}

bool is_tcp(std::span<const std::uint8_t> frame) {
    return frame.size() >= kTcpAt + kTcpHeaderBytes - 12 && get_u16(frame, 12) == kIpv4EtherType &&
           frame[kIpv4At] == 0x45 && frame[kIpv4At + 9] == kIpv4Tcp;
}

std::optional<TcpPacket> read_tcp(std::span<const std::uint8_t> frame) {
    if (!is_tcp(frame)) return {};
    const std::size_t total = ip_bytes(frame);
    const std::span<const std::uint8_t> tcp = frame.subspan(kTcpAt);
    const std::size_t length = std::size_t{tcp[kOffsetAt]} >> 4U << 2U;
    if (length < kOptions || total < kIpv4HeaderBytes + length || kIpv4At + total > frame.size()) return {};
    TcpPacket packet;
    TcpHeader& header = packet.header;
    header.from = get_u16(tcp, 0);
    header.to = get_u16(tcp, 2);
    header.sequence = boost::endian::load_big_u32(&tcp[kSequenceAt]);
    header.acknowledged = boost::endian::load_big_u32(&tcp[kAcknowledgedAt]);
    const std::uint8_t flags = tcp[kFlagsAt];
    header.fin = (flags & kFin) != 0;
    header.syn = (flags & kSyn) != 0;
    header.reset = (flags & kReset) != 0;
    header.push = (flags & kPush) != 0;
    header.ack = (flags & kAck) != 0;
    header.window = get_u16(tcp, kWindowAt);
    if (length == header.bytes()) {
        const std::size_t stamps = header.syn ? kOptions + 6 : kOptions + 2;
        header.stamp = boost::endian::load_big_u32(&tcp[stamps + 2]);
        header.echo = boost::endian::load_big_u32(&tcp[stamps + 6]);
    }
    packet.payload_at = kTcpAt + length;
    packet.payload = total - kIpv4HeaderBytes - length;
    return packet;
}

}  // namespace rnicsim
