// SPDX-License-Identifier: Apache-2.0
// Congestion of a QP (VERBS.md V-D1 to V-D6): marks that are told to who sent them, and the pace that CNPs ask for.
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/qp.h"

#include <optional>

namespace rnicsim::rc {

/// A packet of the QP has come with a mark.
void marked(Qp& qp, Decision& d);
/// A packet of the QP is missing, and a NAK says so.
void missed(Qp& qp, Decision& d);
/// A CNP has come.
void notified(Qp& qp, Decision& d);
/// The CNP that is due, if any.
std::optional<Packet> next_notification(Qp& qp, Decision& d);

/// Has the QP to wait before it sends what it has in this lane? Then it is on the list of deadlines.
inline bool waits_for_pace(const Qp& qp, Lane lane, Time now) {
    if (!qp.pace.rate.limited() || now >= qp.pace.rate.next_deadline()) return false;
    const auto& answers = qp.responder.answers;
    return lane == Lane::request || (!answers.empty() && answers.front().kind == AnswerKind::read);
}
/// A packet leaves: the next one has to wait for its time.
void sent_at_pace(Qp& qp, const Packet& packet, Lane lane, const Decision& d);

/// Are packets of this kind paced, and may a switch mark them? Requests and READ responses; answers without payload are
/// short and must not wait.
/// Nor UC and UD, which send no CNPs.
constexpr bool is_paced(Lane lane, const roce::Header& header) {
    return lane == Lane::request ? header.opcode < roce::Opcode::uc_send_first : header.payload != 0;
}

}  // namespace rnicsim::rc
