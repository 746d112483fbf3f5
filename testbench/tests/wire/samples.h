// SPDX-License-Identifier: Apache-2.0
// RoCEv2 packets for tests: of each opcode, with a different value in every field that it has.
#pragma once

#include "tlm/roce/icrc.h"
#include "tlm/roce/packet.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace rnicsim::roce {

inline constexpr Route kSampleRoute{
    .from = 0, .to = 1, .source_port = source_port({0x12}, {0x34}), .dscp = 26, .ecn = Ecn::capable};

/// Numbers have their most significant bits set, so that none is cut unseen.
inline Header sample(Opcode opcode, std::uint32_t payload = 0) {
    if (opcode == Opcode::cnp) return congestion_notification({0x81'2345});
    Header header;
    header.opcode = opcode;
    header.partition = 0x8001;
    header.to.n = 0x81'2345;
    header.psn.n = 0xFF'FFFE;
    header.payload = payload;
    for (const Part part : meaning(opcode)->parts) {
        switch (part) {
            case Part::deth:
                header.queue_key = 0x8123'4567;
                header.from.n = 0x9A'BCDE;
                break;
            case Part::atomic_eth:
                header.swap_or_add = 0x8182'8384'8586'8788;
                header.compare = 0x9192'9394'9596'9798;
                header.address = 0xA1A2'A3A4'A5A6'A7A8;
                header.key = 0xB1B2'B3B4;
                break;
            case Part::reth:
                header.address = 0xA1A2'A3A4'A5A6'A7A8;
                header.key = 0xB1B2'B3B4;
                header.length = 0xC1C2'C3C4;
                break;
            case Part::aeth: header.aeth = {AckKind::ack, 5, {0xD1'D2D3}}; break;
            case Part::atomic_ack_eth: header.original = 0xE1E2'E3E4'E5E6'E7E8; break;
            case Part::imm_dt: header.immediate = 0xF1F2'F3F4; break;
            case Part::ieth: header.key = 0xB5B6'B7B8; break;
            case Part::feth: header.feth = {FlushPlacement::persistent, FlushSelectivity::region}; break;
            case Part::arrived:
                header.aeth = {AckKind::nak, static_cast<std::uint8_t>(NakCode::psn_sequence), {0xD1'D2D3}};
                header.arrived.n = 0x80'0001;
                break;
            case Part::bth:
            case Part::cnp_rest: break;
        }
    }
    header.apart = opcode >= Opcode::selective_write_first;
    return header;
}

inline std::vector<std::uint8_t> sample_payload(std::size_t bytes) {
    std::vector<std::uint8_t> payload(bytes);
    std::iota(payload.begin(), payload.end(), std::uint8_t{1});
    return payload;
}

inline FrameRef sample_frame(FramePool& pool, const Header& header, const Route& route = kSampleRoute) {
    FrameRef frame = pool.take();
    std::ranges::copy(sample_payload(header.payload), format(*frame, route, header).begin());
    seal(*frame);
    return frame;
}

/// Makes the checksum of the IPv4 header right. `frame`: all of it, at least with the header.
inline void right_ip_checksum(std::span<std::uint8_t> frame) {
    put_u16(frame, kIpv4At + 10, 0);
    put_u16(frame, kIpv4At + 10, internet_checksum(frame.subspan(kIpv4At, kIpv4HeaderBytes)));
}
/// Makes the ICRC right, if IPv4's length leaves room for one.
inline void right_icrc(std::span<std::uint8_t> frame) {
    const std::size_t total = get_u16(frame, kIpv4At + 2);
    if (total < kBthAt - kIpv4At + kBthBytes + kIcrcBytes || kIpv4At + total + kFcsBytes > frame.size()) return;
    write_icrc(frame.subspan(kIpv4At, total));
}

}  // namespace rnicsim::roce
