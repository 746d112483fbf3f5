// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/pending_answers.h"

namespace rnicsim::rc {
namespace {

Answer next_of(const Responder& r, AnswerKind kind, Psn psn) {
    Answer a;
    a.kind = kind;
    a.psn = psn;
    a.msn = r.msn;
    a.after = r.asked_to_place;
    return a;
}

Answer answer_to(const Responder& r, const Remembered& what) {
    Answer a = next_of(r, what.kind, what.psn);
    a.address = what.address;
    a.key = what.key;
    a.length = what.length;
    a.packets = what.packets;
    a.known = what.known;
    a.original = what.original;
    return a;
}

}  // namespace

void push_ack(Qp& qp, const Decision& d) {
    Responder& r = qp.responder;
    const Answer ack = next_of(r, AnswerKind::ack, r.expected - 1);
    // V-S4: one that could leave already waits for the port, and the newer one says as much.
    const bool newer = d.config.acknowledgement->merges() && !r.answers.empty() &&
                       r.answers.back().kind == AnswerKind::ack && r.answers.back().after == ack.after;
    if (newer) {
        r.answers.back() = ack;
    } else {
        r.answers.push(ack);
    }
}

void push_nak(Qp& qp, AnswerKind kind, std::uint8_t value, Decision& d) {
    Responder& r = qp.responder;
    r.nak_sent = true;
    Answer nak = next_of(r, kind, r.expected);
    nak.value = value;
    r.answers.push(nak);
    d.note(kind == AnswerKind::nak ? RcCount::naks_sent : RcCount::rnr_naks_sent, qp);
}

void push_selective_nak(Qp& qp, Psn arrived, Decision& d) {
    missed(qp, d);  // V-D6
    Responder& r = qp.responder;
    Answer nak = next_of(r, AnswerKind::selective_nak, r.expected);
    nak.value = static_cast<std::uint8_t>(roce::NakCode::psn_sequence);
    nak.arrived = arrived;
    r.answers.push(nak);
    d.note(RcCount::naks_sent, qp);
}

void push_answer(Qp& qp, const Remembered& what) {
    Responder& r = qp.responder;
    Answer a = answer_to(r, what);
    a.first_time = true;
    ++r.first_answers;
    r.answers.push(a);
}

void repeat_answer(Qp& qp, const Remembered& what) { qp.responder.answers.push(answer_to(qp.responder, what)); }

void repeat_answer_in_order(Qp& qp, const Remembered& what) {
    Responder& r = qp.responder;
    Answer a = answer_to(r, what);
    auto at = r.answers.first();
    while (at != r.answers.end() && ahead(r.answers[at].psn, what.psn) <= 0) ++at;
    if (at != r.answers.end()) a.msn = r.answers[at].msn;  // MSN never falls
    r.answers.insert(at, a);
}

void push_persist_ack(Qp& qp, Psn persisted, Decision& d) {
    qp.responder.answers.push(next_of(qp.responder, AnswerKind::persist_ack, persisted));
    d.note(RcCount::packs_sent, qp);
}

Answer* pending_answer(Responder& r, AnswerKind kind, Psn psn) {
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        Answer& a = r.answers[n];
        if (a.kind == kind && distance(a.psn, psn) < a.packets) return &a;
    }
    return nullptr;
}

}  // namespace rnicsim::rc
