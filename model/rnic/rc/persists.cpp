// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/persists.h"

#include "model/rnic/rc/pending_answers.h"

namespace rnicsim::rc {

void accept_persist(Qp& qp, Psn psn, std::optional<std::uint64_t> address, bool flush, Decision& d) {
    qp.responder.persists.push({psn, flush});
    if (flush) ++qp.responder.flushes;
    d.actions.persist({qp.number, psn, address});
}

namespace {

/// V-P5
void flushed(Responder& r, Psn psn) {
    --r.flushes;
    if (Remembered* const old = r.memory.find(psn)) old->known = true;
    if (Answer* const answer = pending_answer(r, AnswerKind::executed, psn)) answer->known = true;
}

}  // namespace

void persisted(Qp& qp, Psn psn, Decision& d) {
    Responder& r = qp.responder;
    bool told = true;
    while (!r.persists.empty() && ahead(r.persists.front().psn, psn) <= 0) {
        const PersistUnderWay one = r.persists.pop_front();
        if (one.flush) {
            flushed(r, one.psn);
            continue;
        }
        r.persisted = one.psn;
        told = false;
    }
    if (!told && takes_requests(qp.state)) push_persist_ack(qp, *r.persisted, d);
}

}  // namespace rnicsim::rc
