// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/duplicates.h"

#include "model/rnic/rc/pending_answers.h"
#include "model/rnic/rc/persists.h"

namespace rnicsim::rc {
namespace {

using roce::Header;

/// So many responses from `psn` on are still to be sent.
bool will_answer(const Responder& r, Psn psn, std::uint32_t packets) {
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        const Answer& a = r.answers[n];
        const std::uint32_t at = distance(a.psn, psn);
        if (a.kind == AnswerKind::read && at >= a.sent && at < a.packets && packets <= a.packets - at) return true;
    }
    return false;
}

/// V-S2: the READ, or what is missing of it, is read anew; in the place of its pending answer if that has begun. With
/// selective repeat the rest of that is not asked for again (V-S13).
void repeat_read(Qp& qp, const Header& h, const Decision& d) {
    Responder& r = qp.responder;
    const Remembered* const old = r.memory.find(h.psn);
    const std::uint32_t packets = packets_of(h.length, qp.attributes.path_mtu);
    if (old == nullptr || old->kind != AnswerKind::read || old->key != h.key || h.address < old->address ||
        h.address - old->address + h.length > old->length || distance(old->psn, h.psn) + packets > old->packets) {
        return;
    }
    const Remembered again{true, AnswerKind::read, h.psn, packets, h.address, h.key, h.length, false, 0};
    if (d.config.retransmission->selective()) {
        if (!will_answer(r, h.psn, packets)) repeat_answer(qp, again);
        return;
    }
    Answer* const pending = pending_answer(r, AnswerKind::read, h.psn);
    if (pending == nullptr) return repeat_answer_in_order(qp, again);
    if (pending->sent == 0) return;  // it will answer this, too
    if (pending->first_time) --r.first_answers;
    pending->first_time = false;
    pending->psn = h.psn;
    pending->address = h.address;
    pending->length = h.length;
    pending->packets = packets;
    pending->sent = 0;
}

/// V-S2: the remembered answer, never a second change.
void repeat_known(Qp& qp, const Header& h) {
    Responder& r = qp.responder;
    const Remembered* const old = r.memory.find(h.psn);
    if (old == nullptr || old->kind == AnswerKind::read || pending_answer(r, old->kind, h.psn) != nullptr) return;
    repeat_answer_in_order(qp, *old);
}

/// V-P4. A middle or last packet does not say where it goes: where the range is the mark each may be of a
/// WRITE_PERSIST. With one ACK its reception is not acknowledged; what has come of a message that has not is.
void repeat_persist(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    const Responder& r = qp.responder;
    const PersistMode& mode = *qp.init.persist;
    const bool marked =
        kind.persist || (mode.mark == PersistMark::range && (!kind.first || is_persist(qp, kind, h.key, d.regions)));
    const bool in_part = r.persists.empty() && (!r.persisted || ahead(r.expected - 1, *r.persisted) > 0);
    if (!marked || mode.acknowledges_reception() || in_part) push_ack(qp, d);
    if (marked && r.persisted) push_persist_ack(qp, *r.persisted, d);
}

}  // namespace

void on_duplicate(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    d.note(RcCount::duplicates, qp);
    if (kind.read) {
        repeat_read(qp, h, d);
    } else if (kind.has_answer()) {
        repeat_known(qp, h);
    } else if (kind.write && qp.init.persist) {
        repeat_persist(qp, kind, h, d);
    } else {
        push_ack(qp, d);
    }
}

}  // namespace rnicsim::rc
