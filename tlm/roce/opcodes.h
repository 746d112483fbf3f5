// SPDX-License-Identifier: Apache-2.0
// What each opcode means: one table, from which the codec, the Verilog package and the dissector are made (IBTA vol. 1,
// 9.2; CNP: annex 17).
#pragma once

#include "tlm/roce/fields.h"
#include "tlm/roce/header.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim::roce {

/// CNP: of no service; the NIC that is marked answers, whatever the QP is.
enum class Service : std::uint8_t { reliable, unreliable, datagram, congestion };
inline constexpr std::array<std::string_view, 4> kServiceNames{"RC", "UC", "UD", "CNP"};

/// Who sends it: the end that asks, or the one that answers.
enum class Sender : std::uint8_t { requester, responder };

/// The headers behind the BTH, in their order on the wire: none, one or two.
struct Parts {
    std::array<Part, 2> of{};
    std::size_t count = 0;
    constexpr Parts() = default;
    constexpr Parts(Part one) : of{one}, count(1) {}
    constexpr Parts(Part one, Part two) : of{one, two}, count(2) {}
    [[nodiscard]] constexpr const Part* begin() const { return of.data(); }
    [[nodiscard]] constexpr const Part* end() const { return of.data() + count; }
};

struct OpcodeMeaning {
    Opcode opcode;
    std::string_view name;
    Service service;
    Sender sender;
    Parts parts;
    bool payload;  ///< may have some; other packets end behind their headers
};

inline constexpr auto kOpcodes = [] {
    using enum Part;
    using enum Sender;
    constexpr Service kRc = Service::reliable, kUc = Service::unreliable, kUd = Service::datagram;
    return std::array<OpcodeMeaning, 50>{{
        {Opcode::send_first, "SEND_FIRST", kRc, requester, {}, true},
        {Opcode::send_middle, "SEND_MIDDLE", kRc, requester, {}, true},
        {Opcode::send_last, "SEND_LAST", kRc, requester, {}, true},
        {Opcode::send_last_imm, "SEND_LAST_IMM", kRc, requester, {imm_dt}, true},
        {Opcode::send_only, "SEND_ONLY", kRc, requester, {}, true},
        {Opcode::send_only_imm, "SEND_ONLY_IMM", kRc, requester, {imm_dt}, true},
        {Opcode::write_first, "WRITE_FIRST", kRc, requester, {reth}, true},
        {Opcode::write_middle, "WRITE_MIDDLE", kRc, requester, {}, true},
        {Opcode::write_last, "WRITE_LAST", kRc, requester, {}, true},
        {Opcode::write_last_imm, "WRITE_LAST_IMM", kRc, requester, {imm_dt}, true},
        {Opcode::write_only, "WRITE_ONLY", kRc, requester, {reth}, true},
        {Opcode::write_only_imm, "WRITE_ONLY_IMM", kRc, requester, {reth, imm_dt}, true},
        {Opcode::read_request, "READ_REQUEST", kRc, requester, {reth}, false},
        {Opcode::read_first, "READ_FIRST", kRc, responder, {aeth}, true},
        {Opcode::read_middle, "READ_MIDDLE", kRc, responder, {}, true},
        {Opcode::read_last, "READ_LAST", kRc, responder, {aeth}, true},
        {Opcode::read_only, "READ_ONLY", kRc, responder, {aeth}, true},
        {Opcode::ack, "ACK", kRc, responder, {aeth}, false},
        {Opcode::atomic_ack, "ATOMIC_ACK", kRc, responder, {aeth, atomic_ack_eth}, false},
        {Opcode::compare_swap, "COMPARE_SWAP", kRc, requester, {atomic_eth}, false},
        {Opcode::fetch_add, "FETCH_ADD", kRc, requester, {atomic_eth}, false},
        {Opcode::send_last_inv, "SEND_LAST_INV", kRc, requester, {ieth}, true},
        {Opcode::send_only_inv, "SEND_ONLY_INV", kRc, requester, {ieth}, true},
        {Opcode::flush, "FLUSH", kRc, requester, {feth, reth}, false},
        {Opcode::atomic_write, "ATOMIC_WRITE", kRc, requester, {reth}, true},
        {Opcode::uc_send_first, "UC_SEND_FIRST", kUc, requester, {}, true},
        {Opcode::uc_send_middle, "UC_SEND_MIDDLE", kUc, requester, {}, true},
        {Opcode::uc_send_last, "UC_SEND_LAST", kUc, requester, {}, true},
        {Opcode::uc_send_last_imm, "UC_SEND_LAST_IMM", kUc, requester, {imm_dt}, true},
        {Opcode::uc_send_only, "UC_SEND_ONLY", kUc, requester, {}, true},
        {Opcode::uc_send_only_imm, "UC_SEND_ONLY_IMM", kUc, requester, {imm_dt}, true},
        {Opcode::uc_write_first, "UC_WRITE_FIRST", kUc, requester, {reth}, true},
        {Opcode::uc_write_middle, "UC_WRITE_MIDDLE", kUc, requester, {}, true},
        {Opcode::uc_write_last, "UC_WRITE_LAST", kUc, requester, {}, true},
        {Opcode::uc_write_last_imm, "UC_WRITE_LAST_IMM", kUc, requester, {imm_dt}, true},
        {Opcode::uc_write_only, "UC_WRITE_ONLY", kUc, requester, {reth}, true},
        {Opcode::uc_write_only_imm, "UC_WRITE_ONLY_IMM", kUc, requester, {reth, imm_dt}, true},
        {Opcode::ud_send_only, "UD_SEND_ONLY", kUd, requester, {deth}, true},
        {Opcode::ud_send_only_imm, "UD_SEND_ONLY_IMM", kUd, requester, {deth, imm_dt}, true},
        {Opcode::cnp, "CNP", Service::congestion, responder, {cnp_rest}, false},
        {Opcode::write_persist_only, "WRITE_PERSIST_ONLY", kRc, requester, {reth}, true},
        {Opcode::persist_ack, "PERSIST_ACK", kRc, responder, {aeth}, false},
        {Opcode::write_persist_first, "WRITE_PERSIST_FIRST", kRc, requester, {reth}, true},
        {Opcode::write_persist_middle, "WRITE_PERSIST_MIDDLE", kRc, requester, {}, true},
        {Opcode::write_persist_last, "WRITE_PERSIST_LAST", kRc, requester, {}, true},
        {Opcode::selective_nak, "SELECTIVE_NAK", kRc, responder, {aeth, arrived}, false},
        {Opcode::selective_write_first, "SELECTIVE_WRITE_FIRST", kRc, requester, {reth}, true},
        {Opcode::selective_write_middle, "SELECTIVE_WRITE_MIDDLE", kRc, requester, {reth}, true},
        {Opcode::selective_write_last, "SELECTIVE_WRITE_LAST", kRc, requester, {reth}, true},
        {Opcode::selective_write_only, "SELECTIVE_WRITE_ONLY", kRc, requester, {reth}, true},
    }};
}();

/// Place in kOpcodes by the opcode's value; kOpcodes.size(): in none.
inline constexpr std::array<std::uint8_t, 256> kOpcodeIndex = [] {
    std::array<std::uint8_t, 256> index{};
    index.fill(static_cast<std::uint8_t>(kOpcodes.size()));
    for (std::size_t i = 0; i < kOpcodes.size(); ++i) {
        index.at(static_cast<std::size_t>(kOpcodes.at(i).opcode)) = static_cast<std::uint8_t>(i);
    }
    return index;
}();

/// Null if there is no such opcode: an Opcode read from the wire may have any of the 256 values.
constexpr const OpcodeMeaning* meaning(Opcode opcode) {
    const std::size_t index = kOpcodeIndex.at(static_cast<std::size_t>(opcode));
    return index == kOpcodes.size() ? nullptr : &kOpcodes.at(index);
}

/// What a packet of any service does, as RC's opcode: the lower five bits (IBTA vol. 1, 9.2).
constexpr Opcode operation_of(Opcode opcode) { return static_cast<Opcode>(static_cast<unsigned>(opcode) & 0x1FU); }
/// RC's opcode in another service. Precondition: that one has it.
constexpr Opcode of_service(Opcode operation, Service service) {
    const unsigned upper = service == Service::unreliable ? 0x20U : service == Service::datagram ? 0x60U : 0U;
    return static_cast<Opcode>(static_cast<unsigned>(operation) | upper);
}
static_assert([] {
    for (const OpcodeMeaning& one : kOpcodes) {
        if (one.service != Service::unreliable && one.service != Service::datagram) continue;
        if (of_service(operation_of(one.opcode), one.service) != one.opcode) return false;
    }
    return true;
}());

/// BTH and what follows it, without payload. Precondition: meaning(opcode).
constexpr std::size_t header_bytes(Opcode opcode) {
    std::size_t bytes = kBthBytes;
    for (const Part part : meaning(opcode)->parts) bytes += fields_of(part).bytes();
    return bytes;
}

inline constexpr std::size_t kMaxHeaderBytes = [] {
    std::size_t most = 0;
    for (const OpcodeMeaning& one : kOpcodes) {
        const std::size_t bytes = header_bytes(one.opcode);
        if (bytes > most) most = bytes;
    }
    return most;
}();

/// Bytes that make a payload a multiple of four (IBTA vol. 1, 9.2).
constexpr std::size_t pad_bytes(std::size_t payload) { return (4 - payload % 4) % 4; }

}  // namespace rnicsim::roce
