#include "tlm/roce/packet.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/roce/icrc.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cassert>

namespace rnicsim::roce {
namespace {

constexpr std::size_t kUdpAt = kIpv4At + kIpv4HeaderBytes;
// From the beginning of the IPv4 header.
constexpr std::size_t kIpVersion = 0, kIpTos = 1, kIpTotal = 2, kIpFragment = 6, kIpProtocol = 9, kIpFrom = 12,
                      kIpTo = 16;
constexpr std::uint8_t kVersionAndWords = 0x45;                  // IPv4 without options
constexpr std::uint16_t kFragmentMask = 0x3FFF;                  // more fragments, and the offset
constexpr std::size_t kLeast = kBthAt + kBthBytes + kIcrcBytes;  // a packet with nothing behind its BTH

/// For Frame::seal().
void complete(std::span<std::uint8_t> without_fcs) {
    const std::size_t total = get_u16(without_fcs, kIpv4At + kIpTotal);
    write_icrc(without_fcs.subspan(kIpv4At, total));
}

/// What is in front of the BTH. With no error, the packet is all there.
Error read_outer(std::span<const std::uint8_t> ip, std::size_t room, Packet& packet) {
    if (ip[kIpVersion] != kVersionAndWords) return Error::not_ipv4;
    packet.from = boost::endian::load_big_u32(&ip[kIpFrom]);
    packet.to = boost::endian::load_big_u32(&ip[kIpTo]);
    packet.dscp = static_cast<std::uint8_t>(ip[kIpTos] >> 2U);
    packet.ecn = static_cast<Ecn>(ip[kIpTos] & 3U);
    if (internet_checksum(ip.first(kIpv4HeaderBytes)) != 0) return Error::ip_checksum;
    if ((get_u16(ip, kIpFragment) & kFragmentMask) != 0) return Error::fragment;
    if (ip[kIpProtocol] != kIpv4Udp) return Error::not_roce;
    const std::size_t total = get_u16(ip, kIpTotal);
    if (total > room || total < kIpv4HeaderBytes + kUdpBytes) return Error::truncated;
    const std::span<const std::uint8_t> udp = ip.subspan(kIpv4HeaderBytes);
    packet.source_port = get_u16(udp, 0);
    if (get_u16(udp, 2) != kUdpPort) return Error::not_roce;
    if (get_u16(udp, 4) != total - kIpv4HeaderBytes) return Error::length;
    return total < kLeast - kIpv4At ? Error::truncated : Error::none;
}

}  // namespace

std::span<std::uint8_t> format(Frame& frame, const Route& route, const Header& header) {
    assert(meaning(header.opcode) != nullptr && (header.payload == 0 || meaning(header.opcode)->payload));
    const std::size_t headers = header_bytes(header.opcode);
    const std::size_t pad = pad_bytes(header.payload);
    const std::size_t udp_bytes = kUdpBytes + headers + header.payload + pad + kIcrcBytes;
    const std::size_t ip_bytes = kIpv4HeaderBytes + udp_bytes;
    frame.format(mac_address(route.to), mac_address(route.from), kIpv4EtherType, ip_bytes);
    const std::span<std::uint8_t> bytes = frame.writable_bytes();
    write_ipv4(bytes, {.from = route.from,
                       .to = route.to,
                       .protocol = kIpv4Udp,
                       .bytes = static_cast<std::uint16_t>(ip_bytes),
                       .dscp = route.dscp,
                       .ecn = route.ecn,
                       .dont_fragment = true});
    put_u16(bytes, kUdpAt, route.source_port);
    put_u16(bytes, kUdpAt + 2, kUdpPort);
    put_u16(bytes, kUdpAt + 4, static_cast<std::uint16_t>(udp_bytes));
    put_u16(bytes, kUdpAt + 6, 0);  // no checksum: the ICRC is stronger (IBTA vol. 1, annex 17)
    encode(header, bytes.subspan(kBthAt));
    const std::span<std::uint8_t> behind = bytes.subspan(kBthAt + headers);
    std::ranges::fill(behind.subspan(header.payload, pad + kIcrcBytes), std::uint8_t{0});
    return behind.first(header.payload);
}

void seal(Frame& frame) { frame.seal(complete); }

std::optional<Bth> read_bth(const Frame& frame) {
    constexpr std::size_t kBehind = kBthAt + kBthBytes;  // an AETH or a DETH
    constexpr std::size_t kEnd = kBehind + 1;            // frames have padding enough
    if (frame.ether_type() != kIpv4EtherType || frame.length() < kEnd + kFcsBytes) return {};
    std::span<const std::uint8_t> bytes = frame.front(kEnd);
    if (get_u16(bytes, kUdpAt + 2) != kUdpPort) return {};
    const Opcode opcode{bytes[kBthAt]};
    const OpcodeMeaning* const means = meaning(opcode);
    if (means == nullptr) return {};
    const auto u24 = [&](std::size_t at) { return std::uint32_t{bytes[at]} << 16U | get_u16(bytes, at + 1); };
    Bth bth{opcode, Qpn{u24(kBthAt + 5)}, Psn{u24(kBthAt + 9)}};
    const Part* const first = means->parts.begin();
    if (first != means->parts.end() && *first == Part::aeth) bth.syndrome = bytes[kBehind];
    if (first != means->parts.end() && *first == Part::deth) {
        constexpr std::size_t kDethEnd = kBehind + fields_of(Part::deth).bytes();
        if (frame.length() < kDethEnd + kFcsBytes) return {};
        bytes = frame.front(kDethEnd);
        bth.from = Qpn{u24(kDethEnd - 3)};
    }
    return bth;
}

std::optional<Header> read_header(const Frame& frame) {
    if (!read_bth(frame)) return {};
    const std::size_t total = get_u16(frame.front(kBthAt), kIpv4At + kIpTotal);
    if (total < kBthAt - kIpv4At + kIcrcBytes || kIpv4At + total + kFcsBytes > frame.length()) return {};
    Header header;
    const std::span<const std::uint8_t> packet = frame.front(kIpv4At + total - kIcrcBytes).subspan(kBthAt);
    if (decode(packet, header) != Error::none) return {};
    return header;
}

Packet parse(const Frame& frame) {
    Packet packet;
    const auto failed = [&packet](Error error) {
        packet.error = error;
        return packet;
    };
    if (frame.length() < kEthernetHeaderBytes + kFcsBytes) return failed(Error::truncated);
    if (frame.ether_type() != kIpv4EtherType) return failed(Error::not_ipv4);
    const std::size_t room = frame.length() - kEthernetHeaderBytes - kFcsBytes;
    if (room < kIpv4HeaderBytes + kUdpBytes) return failed(Error::truncated);
    const std::span<const std::uint8_t> ip = frame.front(kIpv4At + room).subspan(kIpv4At);
    if (const Error error = read_outer(ip, room, packet); error != Error::none) return failed(error);
    const std::size_t total = get_u16(ip, kIpTotal);
    if (!frame.trailer_due() && !icrc_good(ip.first(total))) return failed(Error::icrc);
    const std::span<const std::uint8_t> inner = ip.first(total - kIcrcBytes).subspan(kBthAt - kIpv4At);
    packet.error = decode(inner, packet.header);
    if (packet.error == Error::none) packet.payload_at = kBthAt + header_bytes(packet.header.opcode);
    return packet;
}

}  // namespace rnicsim::roce
