// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/unreliable.h"

#include "model/rnic/rc/receives.h"

namespace rnicsim::rc {
namespace {

using roce::Header;

/// V-U3: nothing comes of the message. The receive WQE that it has taken stays, and serves the next one.
void drop_message(Qp& qp, Decision& d) {
    d.note(RcCount::dropped_messages, qp);
    qp.responder.incoming = Incoming::none;
}

void accept(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    if (kind.first) begin_message(r, kind, h);
    Segments to;
    if (kind.write) {
        to = take_written(r, h, d.regions);
    } else if (const Status fit = fit_receive(qp, r.bytes, h.payload, to, d); fit == Status::loc_len) {
        return drop_message(qp, d);
    } else if (fit != Status::success) {
        return fail_receive(qp, fit, d);
    }
    if (!to.empty()) d.actions.place({qp.number, h.psn, false, to});
    r.bytes += h.payload;
    r.incoming = kind.last ? Incoming::none : (kind.write ? Incoming::write : Incoming::send);
    if (kind.last && (kind.send || kind.immediate)) complete_receive(qp, completion_of(qp, kind, h), d);
}

}  // namespace

Taken on_unreliable(Qp& qp, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    const RequestKind kind = kind_of(roce::operation_of(h.opcode));
    // V-U1
    const bool expected = h.psn == r.expected;
    const Verdict verdict = d.checks.check(kind, h, qp, d.regions);
    const bool goes_on = expected && verdict.sequence;
    const bool is_taken = goes_on || kind.first;
    const bool takes = is_taken && ((kind.send && kind.first) || (kind.write && kind.immediate));  // V-S5
    bool ready = true;
    if (takes && !r.receive) {
        const ReceiveQueue::Look look = d.receives(qp).look(d.actions);
        if (look == ReceiveQueue::Look::reading) return Taken::later;
        ready = look == ReceiveQueue::Look::ready;
    }
    if (!expected) d.note(RcCount::out_of_sequence, qp);
    if (!goes_on && r.incoming != Incoming::none) drop_message(qp, d);
    r.expected = h.psn + 1;
    if (!is_taken) return Taken::yes;
    // Of a first packet these do not depend on the message that was under way.
    if (!ready || !verdict.allowed || !verdict.length || !verdict.key) {
        drop_message(qp, d);
        return Taken::yes;
    }
    if (takes && !r.receive) r.receive = d.receives(qp).take(qp.number, d.config.receive_batch, d.actions);
    accept(qp, kind, h, d);
    return Taken::yes;
}

}  // namespace rnicsim::rc
