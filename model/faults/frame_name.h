// SPDX-License-Identifier: Apache-2.0
// The name of a frame on the wire: transfer, direction, kind, SN, and which transmission of it; of a RoCEv2 packet its
// QP in place of the transfer, and its PSN. The key of its random draws and of its entries on a fault tape.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim {

enum class FrameKind : std::uint8_t {
    req,
    req_ack,
    data,
    ack,
    rel,
    rel_ack,
    ordinary,
    roce_send,
    roce_write,
    roce_read,
    roce_atomic,
    roce_response,  ///< to a READ
    roce_ack,       ///< or a NAK
    roce_atomic_ack,
    roce_cnp,
    roce_flush,
    roce_persist_ack,
    tcp,      ///< with data, SYN or FIN
    tcp_ack,  ///< or a reset
};
inline constexpr std::array<std::string_view, 19> kFrameKindNames{
    "REQ",    "REQ_ACK",  "DATA", "ACK",        "REL", "REL_ACK", "ORDINARY", "SEND", "WRITE",  "READ",
    "ATOMIC", "RESPONSE", "ACK",  "ATOMIC_ACK", "CNP", "FLUSH",   "PACK",     "TCP",  "TCP_ACK"};
/// By their numbers: DRP's kinds, those of ordinary frames, those of RoCEv2 packets, then those of TCP frames.
inline constexpr std::size_t kFirstRoceKind = static_cast<std::size_t>(FrameKind::roce_send);
inline constexpr std::size_t kFirstTcpKind = static_cast<std::size_t>(FrameKind::tcp);
inline constexpr std::size_t kRoceKinds = kFirstTcpKind - kFirstRoceKind;
inline constexpr bool is_tcp(FrameKind kind) { return static_cast<std::size_t>(kind) >= kFirstTcpKind; }
inline constexpr bool is_roce(FrameKind kind) {
    return static_cast<std::size_t>(kind) >= kFirstRoceKind && !is_tcp(kind);
}
inline constexpr bool has_psn(FrameKind kind) { return is_roce(kind) && kind != FrameKind::roce_cnp; }

/// Of a frame on one direction of one link.
struct FrameName {
    std::uint64_t transfer = 0;   ///< number at its initiator, from 0; of RoCEv2 the QP, of TCP the stream; 0 of
                                  ///< ordinary frames
    std::uint16_t initiator = 0;  ///< a host; of RoCEv2 the requester's, of TCP the sender; 0 of ordinary frames
    std::uint16_t link = 0;
    std::uint8_t from_side = 0;  ///< of the link, 0 or 1
    FrameKind kind = FrameKind::req;
    std::uint32_t sn =
        0;  ///< of data; of RoCEv2 the PSN, from the requester's first; of TCP what it says of bytes; else 0
    std::uint64_t ordinal = 0;  ///< n-th transmission, from 0: of this SN, of this kind, or of all ordinary frames

    friend auto operator<=>(const FrameName&, const FrameName&) = default;
};

}  // namespace rnicsim
