// SPDX-License-Identifier: Apache-2.0
#include "tlm/roce/describe.h"

#include "tlm/roce/syndrome.h"

#include <cstdio>

namespace rnicsim::roce {
namespace {

constexpr std::array<std::string_view, 5> kNakNames{"psn_sequence", "invalid_request", "remote_access",
                                                    "remote_operational", "invalid_rd"};

std::string hex(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string name_of(Opcode opcode) {
    if (const OpcodeMeaning* const known = meaning(opcode)) return std::string(known->name);
    return "opcode " + hex(static_cast<std::uint8_t>(opcode));
}

std::string answer(const Aeth& aeth) {
    std::string text;
    const auto value = static_cast<std::uint8_t>(aeth.value & 0x1FU);
    switch (aeth.kind) {
        case AckKind::ack:
            if (value != kNoCredits) text = " credits " + std::to_string(credits(value));
            break;
        case AckKind::rnr_nak:
            text = " RNR NAK, wait " + std::to_string(rnr_time(value).ps / kMicrosecond.ps) + " us";
            break;
        case AckKind::nak:
            text = " NAK " + (value < kNakNames.size() ? std::string(kNakNames.at(value)) : std::to_string(value));
            break;
    }
    return text + " msn " + std::to_string(aeth.msn.n);
}

std::string feth_text(const Feth& feth) {
    constexpr std::array<std::string_view, 4> kPlacements{"nothing", "visible", "persistent", "visible and persistent"};
    constexpr std::array<std::string_view, 2> kSelectivities{"range", "region"};
    const auto named = [](std::span<const std::string_view> names, unsigned value) {
        return value < names.size() ? std::string(names[value]) : std::to_string(value);
    };
    return " " + named(kSelectivities, static_cast<unsigned>(feth.selectivity)) + " to be " +
           named(kPlacements, static_cast<unsigned>(feth.placement));
}

std::string part_text(Part part, const Header& header) {
    switch (part) {
        case Part::bth:
        case Part::cnp_rest: return "";
        case Part::deth: return " from " + hex(header.from.n) + " qkey " + hex(header.queue_key);
        case Part::reth:
            return " va " + hex(header.address) + " key " + hex(header.key) + " length " +
                   std::to_string(header.length);
        case Part::atomic_eth: {
            std::string text = " va " + hex(header.address) + " key " + hex(header.key);
            if (header.opcode == Opcode::compare_swap) {
                return text + " compare " + hex(header.compare) + " swap " + hex(header.swap_or_add);
            }
            return text + " add " + hex(header.swap_or_add);
        }
        case Part::aeth: return answer(header.aeth);
        case Part::atomic_ack_eth: return " original " + hex(header.original);
        case Part::imm_dt: return " imm " + hex(header.immediate);
        case Part::ieth: return " invalidate " + hex(header.key);
        case Part::feth: return feth_text(header.feth);
        case Part::arrived: return " arrived " + std::to_string(header.arrived.n);
    }
    return "";
}

}  // namespace

std::string describe(const Header& header) {
    std::string text = name_of(header.opcode);
    if (header.opcode != Opcode::cnp) text += " psn " + std::to_string(header.psn.n);
    text += " qp " + hex(header.to.n);
    const OpcodeMeaning* const known = meaning(header.opcode);
    if (known != nullptr) {
        for (const Part part : known->parts) text += part_text(part, header);
    }
    if (header.partition != 0xFFFF) text += " pkey " + hex(header.partition);
    if (header.solicited) text += " solicited";
    if (header.ack_request) text += " ack_request";
    if (header.fecn) text += " fecn";
    if (header.becn) text += " becn";
    if (known != nullptr && known->payload) text += ", " + std::to_string(header.payload) + " B";
    return text;
}

std::string describe(const Packet& packet) {
    if (packet.error == Error::none) return describe(packet.header);
    std::string text = "no good RoCEv2 packet: " + std::string(error_name(packet.error));
    // The BTH is read, and the ICRC has said that it is as it was sent.
    if (packet.error > Error::version) text += ", " + describe(packet.header);
    return text;
}

std::string describe(const Frame& frame) { return describe(parse(frame)); }

}  // namespace rnicsim::roce
