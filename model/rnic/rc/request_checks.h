// SPDX-License-Identifier: Apache-2.0
// Which requests a responder refuses, in this order (VERBS.md 4): opcode sequence, opcode allowed, resources, length,
// key. State and PSN come before these.
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// What an opcode of a request says by itself.
struct RequestKind {
    /// None of them: no request of RC.
    bool send = false, write = false, read = false, atomic = false, flush = false, atomic_write = false;
    bool persist = false;    ///< of a WRITE: its opcode is the mark (V-P1)
    bool addressed = false;  ///< of a WRITE: each packet says where it goes (V-R12)
    bool first = false, last = false;
    bool immediate = false, invalidates = false;
    /// More than an ACK is due.
    [[nodiscard]] bool has_answer() const { return read || atomic || flush || atomic_write; }
};
RequestKind kind_of(roce::Opcode opcode);
/// It goes to the requester.
bool is_response(roce::Opcode opcode);

/// The opcode continues the message under way, or begins one if there is none.
bool in_sequence(const RequestKind& kind, const Responder& r);
/// The QP's peer may do this at all.
bool allowed(const RequestKind& kind, const roce::Header& header, const Qp& qp);
/// Payload and lengths are as the opcode and the message so far demand. The receive WQE is checked elsewhere.
bool good_length(const RequestKind& kind, const roce::Header& header, const Responder& r, std::uint32_t mtu);
/// What a FLUSH is for; nothing: there is no region of its key.
std::optional<Range> flushed_range(const roce::Header& header, Pd pd, const MrTable& regions);
/// The keys open what the request touches.
bool good_key(const RequestKind& kind, const roce::Header& header, const Qp& qp, const MrTable& regions);

}  // namespace rnicsim::rc
