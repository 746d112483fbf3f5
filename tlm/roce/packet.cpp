// SPDX-License-Identifier: Apache-2.0
#include "tlm/roce/packet.h"

#include "tlm/ethernet/host_address.h"
#include "tlm/roce/icrc.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cassert>

namespace rnicsim::roce {
namespace {

// From the beginning of the IPv4 header.
constexpr std::size_t kIpVersion = 0, kIpTos = 1, kIpTotal = 2, kIpFragment = 6, kIpHops = 8, kIpProtocol = 9,
                      kIpFrom = 12, kIpTo = 16;
constexpr std::uint8_t kVersionAndWords = 0x45;  // IPv4 without options
constexpr std::uint16_t kFragmentMask = 0x3FFF;  // more fragments, and the offset

// The same of IPv6.
constexpr std::size_t kIp6Payload = 4, kIp6Next = 6, kIp6Hops = 7;

bool is_ipv6(std::span<const std::uint8_t> frame) { return get_u16(frame, 12) == kIpv6EtherType; }

/// Of a frame's IP packet, as it says itself. Precondition: it has an IP header.
std::size_t total_of(std::span<const std::uint8_t> ip, bool v6) {
    return v6 ? kIpv6HeaderBytes + get_u16(ip, kIp6Payload) : get_u16(ip, kIpTotal);
}

/// For Frame::seal().
void complete(std::span<std::uint8_t> without_fcs) {
    const std::span<std::uint8_t> ip = without_fcs.subspan(kIpv4At);
    write_icrc(ip.first(total_of(ip, is_ipv6(without_fcs))));
}

/// The header of IPv4 or IPv6 in front of UDP.
Error read_ip(std::span<const std::uint8_t> ip, bool v6, Packet& packet) {
    if (v6) {
        if (ip[kIpVersion] >> 4U != 6) return Error::not_ipv4;
        const unsigned tos = get_u16(ip, 0) >> 4U & 0xFFU;
        packet.dscp = static_cast<std::uint8_t>(tos >> 2U);
        packet.ecn = static_cast<Ecn>(tos & 3U);
        packet.hop_limit = ip[kIp6Hops];
        return ip[kIp6Next] == kIpv4Udp ? Error::none : Error::not_roce;
    }
    if (ip[kIpVersion] != kVersionAndWords) return Error::not_ipv4;
    packet.from = boost::endian::load_big_u32(&ip[kIpFrom]);
    packet.to = boost::endian::load_big_u32(&ip[kIpTo]);
    packet.dscp = static_cast<std::uint8_t>(ip[kIpTos] >> 2U);
    packet.ecn = static_cast<Ecn>(ip[kIpTos] & 3U);
    packet.hop_limit = ip[kIpHops];
    if (internet_checksum(ip.first(kIpv4HeaderBytes)) != 0) return Error::ip_checksum;
    if ((get_u16(ip, kIpFragment) & kFragmentMask) != 0) return Error::fragment;
    return ip[kIpProtocol] == kIpv4Udp ? Error::none : Error::not_roce;
}

/// What is in front of the BTH. With no error, the packet is all there.
Error read_outer(std::span<const std::uint8_t> ip, std::size_t room, bool v6, Packet& packet) {
    if (const Error error = read_ip(ip, v6, packet); error != Error::none) return error;
    const std::size_t header = v6 ? kIpv6HeaderBytes : kIpv4HeaderBytes, total = total_of(ip, v6);
    if (total > room || total < header + kUdpBytes) return Error::truncated;
    const std::span<const std::uint8_t> udp = ip.subspan(header);
    packet.source_port = get_u16(udp, 0);
    if (get_u16(udp, 2) != kUdpPort) return Error::not_roce;
    if (get_u16(udp, 4) != total - header) return Error::length;
    return total < header + kUdpBytes + kBthBytes + kIcrcBytes ? Error::truncated : Error::none;
}

/// Nothing: there is neither IPv4 nor IPv6.
std::optional<std::size_t> bth_at(const Frame& frame) {
    if (frame.ether_type() == kIpv4EtherType) return kBthAt;
    if (frame.ether_type() == kIpv6EtherType) return kIpv4At + kIpv6HeaderBytes + kUdpBytes;
    return {};
}

std::optional<Bth> read_bth(const Frame& frame) {
    const std::optional<std::size_t> found = bth_at(frame);
    if (!found) return {};
    const std::size_t at = *found, behind = at + kBthBytes;  // an AETH or a DETH
    const std::size_t end = behind + 1;                      // frames have padding enough
    if (frame.length() < end + kFcsBytes) return {};
    std::span<const std::uint8_t> bytes = frame.front(end);
    if (get_u16(bytes, at - kUdpBytes + 2) != kUdpPort) return {};
    const Opcode opcode{bytes[at]};
    const OpcodeMeaning* const means = meaning(opcode);
    if (means == nullptr) return {};
    const auto u24 = [&](std::size_t from) { return std::uint32_t{bytes[from]} << 16U | get_u16(bytes, from + 1); };
    Bth bth{opcode, Qpn{u24(at + 5)}, Psn{u24(at + 9)}};
    const Part* const first = means->parts.begin();
    if (first != means->parts.end() && *first == Part::aeth) bth.syndrome = bytes[behind];
    if (first != means->parts.end() && *first == Part::deth) {
        const std::size_t deth_end = behind + fields_of(Part::deth).bytes();
        if (frame.length() < deth_end + kFcsBytes) return {};
        bytes = frame.front(deth_end);
        bth.from = Qpn{u24(deth_end - 3)};
    }
    return bth;
}

/// `framed`: the packet is all there, as the headers in front of the BTH say; so it has an ICRC.
Packet read_packet(const Frame& frame, bool& framed) {
    Packet packet;
    const auto failed = [&packet](Error error) {
        packet.error = error;
        return packet;
    };
    if (frame.length() < kEthernetHeaderBytes + kFcsBytes) return failed(Error::truncated);
    const std::optional<std::size_t> bth = bth_at(frame);
    if (!bth) return failed(Error::not_ipv4);
    const std::size_t room = frame.length() - kEthernetHeaderBytes - kFcsBytes;
    if (room < *bth - kIpv4At) return failed(Error::truncated);
    const bool v6 = frame.ether_type() == kIpv6EtherType;
    const std::span<const std::uint8_t> ip = frame.front(kIpv4At + room).subspan(kIpv4At);
    if (const Error error = read_outer(ip, room, v6, packet); error != Error::none) return failed(error);
    framed = true;
    const std::span<const std::uint8_t> inner = ip.first(total_of(ip, v6) - kIcrcBytes).subspan(*bth - kIpv4At);
    packet.error = decode(inner, packet.header);
    if (packet.error == Error::none) packet.payload_at = *bth + header_bytes(packet.header.opcode);
    return packet;
}

}  // namespace

std::span<std::uint8_t> format(Frame& frame, const Route& route, const Header& header) {
    assert(meaning(header.opcode) != nullptr && (header.payload == 0 || meaning(header.opcode)->payload));
    const std::size_t headers = header_bytes(header.opcode);
    const std::size_t pad = pad_bytes(header.payload);
    const std::size_t udp_bytes = kUdpBytes + headers + header.payload + pad + kIcrcBytes;
    const bool v6 = route.source != IpAddress::v4 && route.destination != IpAddress::v4;
    const std::size_t ip_header = v6 ? kIpv6HeaderBytes : kIpv4HeaderBytes, ip_bytes = ip_header + udp_bytes;
    frame.format(mac_address(route.to), mac_address(route.from), v6 ? kIpv6EtherType : kIpv4EtherType, ip_bytes);
    const std::span<std::uint8_t> bytes = frame.writable_bytes();
    if (v6) {
        write_ipv6(bytes,
                   {.from = ipv6_address(route.from, route.source),
                    .to = ipv6_address(route.to, route.destination),
                    .payload = static_cast<std::uint16_t>(udp_bytes),
                    .traffic_class = static_cast<std::uint8_t>(route.dscp << 2U | static_cast<std::uint8_t>(route.ecn)),
                    .hop_limit = route.hop_limit,
                    .flow_label = route.flow_label});
    } else {
        write_ipv4(bytes, {.from = route.from,
                           .to = route.to,
                           .protocol = kIpv4Udp,
                           .bytes = static_cast<std::uint16_t>(ip_bytes),
                           .dscp = route.dscp,
                           .ecn = route.ecn,
                           .dont_fragment = true,
                           .hop_limit = route.hop_limit});
    }
    const std::size_t udp = kIpv4At + ip_header, bth = udp + kUdpBytes;
    put_u16(bytes, udp, route.source_port);
    put_u16(bytes, udp + 2, kUdpPort);
    put_u16(bytes, udp + 4, static_cast<std::uint16_t>(udp_bytes));
    put_u16(bytes, udp + 6, 0);  // no checksum: the ICRC is stronger (IBTA vol. 1, annex 17)
    encode(header, bytes.subspan(bth));
    const std::span<std::uint8_t> behind = bytes.subspan(bth + headers);
    std::ranges::fill(behind.subspan(header.payload, pad + kIcrcBytes), std::uint8_t{0});
    return behind.first(header.payload);
}

void seal(Frame& frame) { frame.seal(complete); }

PacketView::PacketView(const Frame& frame) : bth(read_bth(frame)), packet(read_packet(frame, framed)) {}

std::span<const std::uint8_t> ip_packet(const Frame& frame) {
    const std::span<const std::uint8_t> ip = frame.front(frame.length()).subspan(kIpv4At);
    return ip.first(total_of(ip, frame.ether_type() == kIpv6EtherType));
}

bool icrc_good(const Frame& frame) { return frame.trailer_due() || icrc_good(ip_packet(frame)); }

Packet with_bad_icrc(const Packet& packet) {
    Packet bad = packet;
    bad.error = Error::icrc;
    bad.header = {};
    bad.payload_at = 0;
    return bad;
}

Packet parse(const Frame& frame) {
    const PacketView& view = view_of(frame);
    return !view.framed || icrc_good(frame) ? view.packet : with_bad_icrc(view.packet);
}

}  // namespace rnicsim::roce
