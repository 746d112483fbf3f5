// SPDX-License-Identifier: Apache-2.0
// The headers of a RoCEv2 packet behind UDP: BTH and what follows it by opcode (IBTA vol. 1, chapter 9, annexes 16,
// 17).
#pragma once

#include "tlm/roce/psn.h"

#include <cstdint>

namespace rnicsim::roce {

/// The upper three bits say which service: 000 RC, 001 UC, 011 UD, 110 manufacturer's.
enum class Opcode : std::uint8_t {
    send_first = 0x00,
    send_middle,
    send_last,
    send_last_imm,
    send_only,
    send_only_imm,
    write_first = 0x06,
    write_middle,
    write_last,
    write_last_imm,
    write_only,
    write_only_imm,
    read_request = 0x0C,
    read_first,
    read_middle,
    read_last,
    read_only,  // but for the request: responses
    ack = 0x11,
    atomic_ack,
    compare_swap,
    fetch_add,
    send_last_inv = 0x16,
    send_only_inv,
    flush = 0x1C,  // release 1.5
    atomic_write,
    uc_send_first = 0x20,
    uc_send_middle,
    uc_send_last,
    uc_send_last_imm,
    uc_send_only,
    uc_send_only_imm,
    uc_write_first = 0x26,
    uc_write_middle,
    uc_write_last,
    uc_write_last_imm,
    uc_write_only,
    uc_write_only_imm,
    ud_send_only = 0x64,
    ud_send_only_imm,
    cnp = 0x81,
    // Ours, in the manufacturer's range: a WRITE that its responder makes durable (VERBS.md 11).
    write_persist_only = 0xC0,
    persist_ack,
    write_persist_first,
    write_persist_middle,
    write_persist_last,
    selective_nak,  // ours: a NAK of the expected PSN that names the one that came (after IRN)
    // Ours: of a WRITE each packet of which says where it goes (after IRN, VERBS.md V-R12).
    selective_write_first,
    selective_write_middle,
    selective_write_last,
    selective_write_only,
};

/// What an AETH says: the syndrome's upper three bits, and its lower five.
enum class AckKind : std::uint8_t { ack = 0, rnr_nak = 1, nak = 3 };
enum class NakCode : std::uint8_t {
    psn_sequence = 0,
    invalid_request = 1,
    remote_access = 2,
    remote_operational = 3,
    invalid_rd = 4
};
inline constexpr std::uint8_t kNoCredits = 31;  ///< of an ACK: credits are not counted

struct Aeth {
    AckKind kind = AckKind::ack;
    std::uint8_t value = kNoCredits;  ///< ACK: credits; RNR NAK: code of the time; NAK: NakCode
    Psn msn;
    friend constexpr bool operator==(const Aeth&, const Aeth&) = default;
};

/// What a FLUSH asks for, of what was written before it: bits. A packet may have values that are none of these.
enum class FlushPlacement : std::uint8_t { none = 0, visible = 1, persistent = 2, both = 3 };
enum class FlushSelectivity : std::uint8_t { range = 0, region = 1 };

struct Feth {
    FlushPlacement placement = FlushPlacement::none;
    FlushSelectivity selectivity = FlushSelectivity::range;
    friend constexpr bool operator==(const Feth&, const Feth&) = default;
};

/// Fields that the opcode has no header for stay as they are made here.
struct Header {
    Opcode opcode = Opcode::send_only;
    bool solicited = false;
    bool ack_request = false;
    bool fecn = false, becn = false;
    bool apart = false;  ///< selective WRITE: nothing before it that may be missing touches its bytes
    std::uint16_t partition = 0xFFFF;
    Qpn to;  ///< destination QP
    Psn psn;
    // RETH and AtomicETH
    std::uint64_t address = 0;
    std::uint32_t key = 0;     ///< R_Key; IETH: the one that is invalidated
    std::uint32_t length = 0;  ///< RETH: of the message from here on
    std::uint64_t swap_or_add = 0, compare = 0;
    // AETH, AtomicAckETH, ImmDt, DETH
    Aeth aeth;
    Feth feth;
    std::uint64_t original = 0;  ///< what an atomic has found
    std::uint32_t immediate = 0;
    std::uint32_t queue_key = 0;
    Qpn from;                   ///< UD: source QP
    Psn arrived;                ///< selective NAK: which came in place of the expected one
    std::uint32_t payload = 0;  ///< bytes behind the headers, without pad and ICRC: 0 .. PMTU
    friend constexpr bool operator==(const Header&, const Header&) = default;
};

}  // namespace rnicsim::roce
