// SPDX-License-Identifier: Apache-2.0
// RoCEv2 packets in frames: Ethernet, IPv4 or IPv6, UDP, the headers of codec.h, payload, pad, ICRC, FCS.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/ethernet/ipv6.h"
#include "tlm/roce/codec.h"
#include "tlm/roce/header.h"
#include "tlm/roce/udp.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rnicsim::roce {

inline constexpr std::size_t kBthAt = kIpv4At + kIpv4HeaderBytes + kUdpBytes;  ///< in a frame with IPv4

/// DA to FCS, with IPv4. Precondition: meaning(opcode).
constexpr std::size_t frame_length(Opcode opcode, std::size_t payload) {
    return frame_bytes(kBthAt - kEthernetHeaderBytes + header_bytes(opcode) + payload + pad_bytes(payload) +
                       kIcrcBytes);
}

/// What a packet needs besides its Header.
struct Route {
    unsigned from = 0, to = 0;  ///< hosts
    std::uint16_t source_port = 0;
    std::uint8_t dscp = 0;
    Ecn ecn = Ecn::not_capable;
    std::uint8_t hop_limit = kHopLimit;
    IpAddress source = IpAddress::v4, destination = IpAddress::v4;  ///< IPv6 if neither is v4
    std::uint32_t flow_label = 0;                                   ///< of IPv6
    friend constexpr bool operator==(const Route&, const Route&) = default;
};

/// Makes the frame but for its payload, and returns the room for that: header.payload bytes, which are what they were.
/// Then seal() it. Precondition: meaning(header.opcode), which has payload or header.payload is 0; the frame has room
/// for frame_length().
std::span<std::uint8_t> format(Frame& frame, const Route& route, const Header& header);

/// Completes the frame with ICRC and FCS. Both are computed only when the bytes are read, as Frame::seal() says.
/// Precondition: format().
void seal(Frame& frame);

/// What a frame says.
struct Packet {
    Error error = Error::none;
    Header header;           ///< after an error as decode() leaves it; Header{} if it is not reached
    std::uint32_t from = 0;  ///< IPv4 addresses; 0 up to Error::truncated, and with IPv6
    std::uint32_t to = 0;
    std::uint16_t source_port = 0;
    std::uint8_t dscp = 0;
    Ecn ecn = Ecn::not_capable;  ///< congestion: a switch has marked it
    std::uint8_t hop_limit = 0;
    std::size_t payload_at = 0;  ///< header.payload bytes in the frame from here; without an error
};

/// What tells one packet from another, of frames that need not be good: of the BTH, and of a DETH behind it. The rest
/// is not looked at.
struct Bth {
    Opcode opcode{};
    Qpn to;
    Psn psn;
    std::uint8_t syndrome = 0;  ///< of an answer with an AETH
    Qpn from{};                 ///< of a datagram: source QP
    friend constexpr bool operator==(const Bth&, const Bth&) = default;
};

/// All that a frame says, read once for all who ask: the ladder, the judge, names of packets, the card.
struct PacketView {
    explicit PacketView(const Frame& frame);

    std::optional<Bth> bth;  ///< nothing: the frame is no RoCEv2 packet, or its opcode means nothing
    bool framed = false;     ///< the packet is all there, as the headers in front of the BTH say
    Packet packet;           ///< as if its ICRC were good
};
/// Valid until the frame is written to.
inline const PacketView& view_of(const Frame& frame) { return frame.as<PacketView>(); }
inline const std::optional<Bth>& bth_of(const Frame& frame) { return view_of(frame).bth; }
/// nullptr: the frame is no RoCEv2 packet, or a broken one. The ICRC is not looked at.
inline const Header* header_of(const Frame& frame) {
    const Packet& packet = view_of(frame).packet;
    return packet.error == Error::none ? &packet.header : nullptr;
}

/// A packet with its ICRC, from the IP header on. Precondition: it is all there (PacketView::framed), or the frame has
/// been made by format().
std::span<const std::uint8_t> ip_packet(const Frame& frame);
/// The ICRC of a frame that is as it was sealed is known to be good and not computed. Precondition: as that of
/// ip_packet().
bool icrc_good(const Frame& frame);
/// What is left of a packet whose ICRC is wrong.
Packet with_bad_icrc(const Packet& packet);
/// Takes any frame. The FCS is not looked at: that is the MAC's.
Packet parse(const Frame& frame);

/// The payload of a frame with this packet.
inline std::span<const std::uint8_t> payload(const Frame& frame, const Packet& packet) {
    return frame.front(packet.payload_at + packet.header.payload).subspan(packet.payload_at);
}

}  // namespace rnicsim::roce
