// SPDX-License-Identifier: Apache-2.0
#include "testbench/events/frame_text.h"

#include "model/rnic/rc/names/packet_namer.h"
#include "testbench/events/wire_events.h"
#include "tlm/ethernet/frame.h"
#include "tlm/roce/opcodes.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace rnicsim {

std::optional<DrpHeader> drp_header(std::span<const std::uint8_t> head) {
    if ((head[12] << 8 | head[13]) != kDrpEtherType) return std::nullopt;
    DrpHeader header;
    const DrpError error = decode(head.subspan(kEthernetHeaderBytes), header);
    if (error != DrpError::none && error != DrpError::length) return std::nullopt;
    return header;
}

std::string_view packet_name(const roce::Bth& bth) {
    constexpr std::array<std::string_view, 5> kNaks{"NAK sequence", "NAK invalid request", "NAK remote access",
                                                    "NAK remote operational", "NAK invalid RD"};
    if (bth.opcode == roce::Opcode::selective_nak) return "NAK selective";
    if (bth.opcode == roce::Opcode::ack) {
        const std::size_t code = bth.syndrome & 0x1FU;
        switch (roce::AckKind{static_cast<std::uint8_t>(bth.syndrome >> 5U)}) {
            case roce::AckKind::ack: return "ACK";
            case roce::AckKind::rnr_nak: return "RNR NAK";
            case roce::AckKind::nak: return code < kNaks.size() ? kNaks.at(code) : "NAK";
        }
    }
    return kFrameKindNames.at(static_cast<std::size_t>(roce_kind(bth.opcode)));
}

std::string frame_text(const roce::Bth& bth) {
    return fmt::format("{} {} qpn={} psn={}", roce::meaning(bth.opcode)->name, packet_name(bth), bth.to.n, bth.psn.n);
}

std::string frame_text(const std::optional<DrpHeader>& header, const std::optional<roce::Bth>& bth,
                       std::size_t length) {
    if (header) return frame_text(*header);
    return bth ? frame_text(*bth) : "ordinary frame, " + std::to_string(length) + " bytes";
}

std::string_view tcp_kind(const TcpSeen& of) {
    return kFrameKindNames.at(static_cast<std::size_t>(of.has_place() ? FrameKind::tcp : FrameKind::tcp_ack));
}

std::string tcp_flags(const TcpSeen& of) {
    std::string flags;
    const auto add = [&](bool is, std::string_view name) {
        if (is) flags.append(flags.empty() ? "" : "+").append(name);
    };
    add(of.syn, "SYN");
    add(of.fin, "FIN");
    add(of.reset, "RST");
    add(of.ack, "ACK");
    add(of.push, "PSH");
    return flags;
}

std::string frame_text(unsigned from, const TcpSeen& of) {
    return fmt::format("{} host {}'s s{} +{} #{}, {} B, {}", tcp_kind(of), from, of.stream,
                       of.has_place() ? of.sequence : of.acknowledged, of.transmission + 1, of.payload, tcp_flags(of));
}

std::string frame_text(const DrpHeader& header) {
    std::ostringstream out;
    out << (header.operation == Operation::write ? "write " : "read ")
        << (header.is_ack() ? "ACK" : type_name(header.type)) << " tid=" << raw(header.tid) << " sn=" << header.sn
        << " ackn=" << header.ackn << " len=" << header.len << (header.indirect ? " indirect" : "")
        << (header.type == DrpType::req_ack ? (header.valid ? " valid" : " invalid") : "");
    return out.str();
}

}  // namespace rnicsim
