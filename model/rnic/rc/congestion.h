// SPDX-License-Identifier: Apache-2.0
// Congestion of a QP (VERBS.md V-D1 to V-D8): marks that are told to who sent them; what the control of a QP is told,
// and what it bounds. What it decides: congestion/.
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/qp.h"

#include <optional>

namespace rnicsim::rc {

/// Of a QP that has sent nothing.
Pace new_pace(const RcConfig& config, Service service);

/// A packet of the QP has come with a mark.
void marked(Qp& qp, Decision& d);
/// A packet of the QP is missing, and a NAK says so.
void missed(Qp& qp, Decision& d);
/// A CNP has come.
void notified(Qp& qp, Decision& d);
/// The CNP that is due, if any.
std::optional<Packet> next_notification(Qp& qp, Decision& d);

/// Has the QP to wait before it sends what it has in this lane? Then it is on the list of deadlines. Without a control
/// its pacer is at rest.
inline bool waits_for_pace(const Qp& qp, Lane lane, Time now) {
    if (now >= qp.pace.pacer.next_packet() || qp.pace.control->rate() == kNoRateLimit) return false;
    const auto& answers = qp.responder.answers;
    return lane == Lane::request || (!answers.empty() && answers.front().kind == AnswerKind::read);
}
/// A packet leaves: the control is told, and with a rate the next one has to wait for its time.
void sent_at_pace(Qp& qp, const Packet& packet, Lane lane, const Decision& d);

/// With a window each request asks for an ACK: one that shrinks may leave no later packet that could (V-D7).
inline bool has_byte_window(const Qp& qp) { return qp.pace.in_flight && qp.pace.control->window() != kNoWindow; }
/// Does the packet at the cursor of the send queue fit the control's window? Precondition: there are both.
bool fits_byte_window(const Qp& qp);
/// May the packet at the cursor leave, as far as the control's window counts (V-D7)? Precondition: there is one.
inline bool window_has_room(const Qp& qp) { return !has_byte_window(qp) || fits_byte_window(qp); }
/// This packet of the send queue is about to leave, for the first time or again.
inline void note_in_flight(Qp& qp, const SendEntry& entry, const Packet& packet, const Decision& d) {
    if (!qp.pace.in_flight || has_answer(entry.wqe.verb)) return;
    qp.pace.in_flight->sent(packet.header.psn, packet.header.payload, d.now, qp.requester.queue.resending());
}
/// All before the oldest PSN has been acknowledged. Precondition: the control hears of it.
void tell_acknowledged(Qp& qp, bool by_ack, const Decision& d);
/// The oldest PSN has moved. `by_ack`: an ACK names the one before it.
inline void note_acknowledged(Qp& qp, bool by_ack, const Decision& d) {
    if (qp.pace.in_flight) tell_acknowledged(qp, by_ack, d);
}
/// Packets are lost (V-D8).
inline void note_loss(Qp& qp, Loss kind, const Decision& d) {
    if (qp.pace.control && d.config.congestion->hears_losses()) qp.pace.control->on_loss(d.now, kind);
}
/// All that was sent and not acknowledged is sent again.
inline void forget_in_flight(Qp& qp) {
    if (qp.pace.in_flight) qp.pace.in_flight->forget();
}

/// Are packets of this kind paced, and may a switch mark them? Requests and READ responses; answers without payload are
/// short and must not wait.
/// Nor UC and UD, which send no CNPs; their opcodes lie between RC's and those of our own.
constexpr bool is_paced(Lane lane, const roce::Header& header) {
    if (lane != Lane::request) return header.payload != 0;
    return header.opcode < roce::Opcode::uc_send_first || header.opcode >= roce::Opcode::write_persist_only;
}

}  // namespace rnicsim::rc
