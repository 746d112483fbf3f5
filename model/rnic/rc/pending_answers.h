// SPDX-License-Identifier: Apache-2.0
// What a responder has to answer: into the queue in the order of the requests (V-S4).
#pragma once

#include "model/rnic/rc/congestion.h"
#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

void push_ack(Qp& qp, const Decision& d);
/// NAK or RNR NAK of the expected PSN; none follows until that comes (V-S1).
void push_nak(Qp& qp, AnswerKind kind, std::uint8_t value, Decision& d);
inline void push_sequence_nak(Qp& qp, Decision& d) {
    missed(qp, d);  // V-D6
    push_nak(qp, AnswerKind::nak, static_cast<std::uint8_t>(roce::NakCode::psn_sequence), d);
}
/// V-S12
void push_selective_nak(Qp& qp, Psn arrived, Decision& d);
/// All up to here is durable.
void push_persist_ack(Qp& qp, Psn persisted, Decision& d);
/// To a READ, atomic, FLUSH or ATOMIC WRITE that has just been accepted.
void push_answer(Qp& qp, const Remembered& what);
/// To a duplicate: behind all others, or before those to later PSNs, which its requester drops until it has come
/// (V-S2).
void repeat_answer(Qp& qp, const Remembered& what);
void repeat_answer_in_order(Qp& qp, const Remembered& what);
/// The pending answer that has this PSN, or nullptr.
Answer* pending_answer(Responder& r, AnswerKind kind, Psn psn);

}  // namespace rnicsim::rc
