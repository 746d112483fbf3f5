// SPDX-License-Identifier: Apache-2.0
// How WRITE_PERSISTs of a connection are marked, and how their responder says that they are durable (VERBS.md 11). Both
// ends of a connection have the same.
#pragma once

#include <cstdint>

namespace rnicsim::rc {

/// What makes a WRITE a WRITE_PERSIST.
enum class PersistMark : std::uint8_t {
    opcode,  ///< its own opcodes, C0, C2 to C4
    range    ///< the region that it goes to: kWritePersist
};
/// What a persist ACK (PACK) looks like.
enum class PersistPack : std::uint8_t {
    opcode,   ///< its own opcode, C1: cumulative, and never taken for another answer
    psn_only  ///< an ACK; the second one of a PSN is the PACK
};

struct PersistMode {
    PersistMark mark = PersistMark::opcode;
    PersistPack pack = PersistPack::opcode;
    bool two_acks = false;  ///< the responder acknowledges the reception, too, at once
    /// The responder's processor makes it durable, and its program has the PACK sent; the requester's gets it with a
    /// receive WQE (V-P6, V-P7). Else the responder's card does both.
    bool by_processor = false;

    [[nodiscard]] constexpr bool acknowledges_reception() const { return two_acks || by_processor; }
    /// Does the requester tell reception from persistence? If not, the one ACK means both.
    [[nodiscard]] constexpr bool waits_for_pack() const {
        return acknowledges_reception() || pack == PersistPack::opcode;
    }
};

}  // namespace rnicsim::rc
