// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/processor_persists.h"

#include "model/rnic/rc/held_sends.h"
#include "model/rnic/rc/pending_answers.h"
#include "model/rnic/rc/request_packet.h"
#include "model/rnic/rc/requester.h"

#include <utility>

namespace rnicsim::rc {
namespace {

/// From a look in vain to the next.
constexpr Time kLookAgain = kMicrosecond;

bool has_pack(const Requester& r) { return !r.held.empty() && !r.held.front().waits; }

bool wants_receive(const Qp& qp) { return !qp.responder.asked.empty() || has_pack(qp.requester); }

/// What the program is told with the next receive WQE: of a request first.
Completion next_told(Qp& qp) {
    Completion c;
    Responder& r = qp.responder;
    if (!r.asked.empty()) {
        const AskedPersist what = r.asked.pop_front();
        r.told = what.psn;
        c.verb = Verb::write_persist;
        c.immediate_or_key = what.psn.n;
        c.address = what.address;
        c.bytes = what.bytes;
        c.solicited = what.solicited;
        return c;
    }
    const HeldSend durable = qp.requester.held.pop_front();
    c.verb = Verb::persist_ack;
    c.immediate_or_key = (durable.entry.end() - 1).n;
    return c;
}

/// True: there were some.
bool use_receives(Qp& qp, Decision& d) {
    bool any = false;
    ReceiveQueue& receives = d.receives(qp);
    for (; wants_receive(qp) && receives.ready() != 0; any = true) {
        Completion c = next_told(qp);
        c.qp = qp.number;
        c.cq = qp.init.receive_cq;
        c.receive = true;
        c.index = receives.take(qp.number, d.config.receive_batch, d.actions).index;
        d.actions.complete(c);
    }
    return any;
}

void look(Qp& qp, Decision& d) {
    qp.receive_look = {true, kEndOfTime};
    d.receives(qp).ask(d.actions);
}

/// Is it of what the program has been told of, and has not answered?
bool may_answer(const Responder& r, Psn psn) {
    const bool told = r.told && ahead(psn, *r.told) <= 0;
    return told && (!r.persisted || ahead(psn, *r.persisted) > 0);
}

}  // namespace

void ask_processor(Qp& qp, const AskedPersist& what, Decision& d) {
    qp.responder.asked.push(what);
    look_for_receives(qp, d);
}

void send_packs(Qp& qp, Decision& d) {
    const SendQueue& queue = qp.requester.queue;
    while (qp.state == QpState::rts && queue.current() != nullptr && queue.current_number() == queue.front_number() &&
           queue.current()->wqe.verb == Verb::persist_ack) {
        const SendWqe& wqe = queue.current()->wqe;
        const Psn psn{wqe.immediate_or_key & Psn::kMask};
        if (check_local(wqe, qp, d.regions) != Status::success || !may_answer(qp.responder, psn))
            return fail(qp, Status::loc_qp_op, d);
        complete_front(qp, Status::success, d);
        qp.responder.persisted = psn;
        push_persist_ack(qp, psn, d);
    }
}

void look_for_receives(Qp& qp, Decision& d) {
    use_receives(qp, d);
    const bool looks = qp.receive_look.under_way || qp.receive_look.again != kEndOfTime;
    if (wants_receive(qp) && !looks) look(qp, d);
}

void receives_came(Qp& qp, Decision& d) {
    if (!by_processor(qp) || qp.state == QpState::error) return;
    const bool looked = std::exchange(qp.receive_look.under_way, false);
    const bool some = use_receives(qp, d);
    if (!wants_receive(qp)) {
        qp.receive_look.again = kEndOfTime;
    } else if (some) {
        look(qp, d);
    } else if (looked) {
        d.note(RcCount::receive_waits, qp);
        drop_packs(qp, d);
        if (wants_receive(qp)) qp.receive_look.again = d.now + kLookAgain;
    }
}

void look_again(Qp& qp, Decision& d) { look(qp, d); }

void forget_asked(Qp& qp) {
    qp.responder.asked.clear();
    qp.receive_look = {};
}

}  // namespace rnicsim::rc
