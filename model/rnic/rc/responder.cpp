// The responder's way in: requests. Answers: answers.cpp.
#include "model/rnic/rc/responder.h"

#include "model/rnic/rc/early_writes.h"
#include "model/rnic/rc/request_checks.h"

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::NakCode;
using roce::Opcode;

void push_ack(Qp& qp, Decision& d) {
    Responder& r = qp.responder;
    Answer ack;
    ack.psn = r.expected - 1;
    ack.msn = r.msn;
    ack.after = r.asked_to_place;
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
    Answer nak;
    nak.kind = kind;
    nak.psn = r.expected;
    nak.msn = r.msn;
    nak.value = value;
    nak.after = r.asked_to_place;
    r.answers.push(nak);
    d.counts.add(kind == AnswerKind::nak ? RcCount::naks_sent : RcCount::rnr_naks_sent);
}

void push_answer(Qp& qp, const Remembered& what, bool first_time) {
    Responder& r = qp.responder;
    Answer a;
    a.kind = what.atomic ? AnswerKind::atomic : AnswerKind::read;
    a.psn = what.psn;
    a.msn = r.msn;
    a.after = r.asked_to_place;
    a.first_time = first_time;
    a.address = what.address;
    a.key = what.key;
    a.length = what.length;
    a.packets = what.packets;
    a.known = what.known;
    a.original = what.original;
    if (first_time) ++r.first_answers;
    r.answers.push(a);
}

/// The pending answer that has this PSN, or nullptr.
Answer* pending_answer(Responder& r, AnswerKind kind, Psn psn) {
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        Answer& a = r.answers[n];
        if (a.kind == kind && distance(a.psn, psn) < a.packets) return &a;
    }
    return nullptr;
}

/// So many responses from `psn` on are still to be sent.
bool will_answer(const Responder& r, Psn psn, std::uint32_t packets) {
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        const Answer& a = r.answers[n];
        const std::uint32_t at = distance(a.psn, psn);
        if (a.kind == AnswerKind::read && at >= a.sent && at < a.packets && packets <= a.packets - at) return true;
    }
    return false;
}

/// V-S2: the READ, or what is missing of it, is read anew; in place of its pending answer if that has begun. With
/// selective repeat the rest of that is not asked for again (V-S13).
void repeat_read(Qp& qp, const Header& h, const Decision& d) {
    Responder& r = qp.responder;
    const Remembered* const old = r.memory.find(h.psn);
    const std::uint32_t packets = packets_of(h.length, qp.attributes.path_mtu);
    if (old == nullptr || old->atomic || old->key != h.key || h.address < old->address ||
        h.address - old->address + h.length > old->length || distance(old->psn, h.psn) + packets > old->packets) {
        return;
    }
    const Remembered again{true, false, h.psn, packets, h.address, h.key, h.length, false, 0};
    if (d.config.retransmission->selective()) {
        if (!will_answer(r, h.psn, packets)) push_answer(qp, again, false);
        return;
    }
    Answer* const pending = pending_answer(r, AnswerKind::read, h.psn);
    if (pending == nullptr) return push_answer(qp, again, false);
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
void repeat_atomic(Qp& qp, const Header& h) {
    Responder& r = qp.responder;
    const Remembered* const old = r.memory.find(h.psn);
    if (old == nullptr || !old->atomic || pending_answer(r, AnswerKind::atomic, h.psn) != nullptr) return;
    push_answer(qp, *old, false);
}

void on_duplicate(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    d.counts.add(RcCount::duplicates);
    if (kind.read) {
        repeat_read(qp, h, d);
    } else if (kind.atomic) {
        repeat_atomic(qp, h);
    } else {
        push_ack(qp, d);
    }
}

void accept_read_or_atomic(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    Remembered what;
    what.atomic = kind.atomic;
    what.psn = h.psn;
    what.packets = kind.read ? packets_of(h.length, qp.attributes.path_mtu) : 1;
    what.address = h.address;
    what.key = h.key;
    what.length = kind.read ? h.length : kAtomicBytes;
    r.memory.remember(what);
    r.expected = r.expected + what.packets;
    r.msn = r.msn + 1;  // V-S3: when it is accepted
    push_answer(qp, what, true);
    if (kind.atomic) {
        d.actions.atomic({qp.number, h.psn, h.opcode == Opcode::compare_swap, h.address, h.swap_or_add, h.compare});
    }
}

/// V-S9: the CQE follows the payload on the posted path.
void complete_receive(Qp& qp, Status status, const RequestKind& kind, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    Completion c;
    c.qp = qp.number;
    c.cq = qp.init.receive_cq;
    c.receive = true;
    c.status = status;
    c.index = r.receive->index;
    c.solicited = h.solicited || status != Status::success;
    if (status == Status::success) {
        c.bytes = r.bytes;
        c.verb = kind.write         ? Verb::write_imm
                 : kind.immediate   ? Verb::send_imm
                 : kind.invalidates ? Verb::send_inv
                                    : Verb::send;
        if (kind.immediate) c.immediate_or_key = h.immediate;
        if (kind.invalidates) c.immediate_or_key = h.key;
    }
    d.actions.complete(c);
    r.receive.reset();
}

/// The message's receive WQE holds the payload, at the place where it goes. Else the request is refused.
bool receive_fits(Qp& qp, const Header& h, Segments& to, Decision& d) {
    const Responder& r = qp.responder;
    const ReceiveSges& sges = r.receive->sges;
    const std::uint64_t room = bytes_of(sges);
    if (room > kMaxMessage) {
        refuse(qp, NakCode::remote_operational, Status::loc_qp_op, d);
    } else if (std::uint64_t{r.bytes} + h.payload > room) {
        refuse(qp, NakCode::invalid_request, Status::loc_len, d);
    } else if (const auto found = segments_of(sges, r.bytes, h.payload, qp, d.regions, kLocalWrite)) {
        to = *found;
        return true;
    } else {
        refuse(qp, NakCode::remote_operational, Status::loc_prot, d);
    }
    return false;
}

/// V-S12: of what has come ahead nothing is left, but there was more.
void tell_dropped(Qp& qp, Decision& d) {
    Responder& r = qp.responder;
    if (!r.early.dropped || !r.early.came.empty()) return;
    const bool missing = ahead(*r.early.dropped, r.expected) >= 0;
    r.early.dropped.reset();
    if (missing) push_nak(qp, AnswerKind::nak, static_cast<std::uint8_t>(NakCode::psn_sequence), d);
}

void accept_send_or_write(Qp& qp, const RequestKind& kind, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    if (kind.first) {
        r.bytes = 0;
        r.address = h.address;
        r.key = h.key;
        r.left = kind.write ? h.length : 0;
    }
    Segments to;
    if (kind.write) {
        if (h.payload != 0) to.push({r.address, h.payload});
        r.address += h.payload;
        r.left -= h.payload;
    } else if (!receive_fits(qp, h, to, d)) {
        return;
    }
    if (!to.empty()) {
        ++r.asked_to_place;
        d.actions.place({qp.number, h.psn, true, to});
    }
    r.bytes += h.payload;
    r.expected = r.expected + 1;
    r.early.came.advance(1);
    r.incoming = kind.last ? Incoming::none : (kind.write ? Incoming::write : Incoming::send);
    if (kind.last) {
        r.msn = r.msn + 1;  // V-S3
        if (kind.invalidates) d.regions.invalidate(h.key, qp.init.pd);
        if (r.receive) complete_receive(qp, Status::success, kind, h, d);
    }
    if (pass_early(qp) || h.ack_request) push_ack(qp, d);
    tell_dropped(qp, d);
}

}  // namespace

void refuse(Qp& qp, NakCode code, Status receive_status, Decision& d) {
    push_nak(qp, AnswerKind::nak, static_cast<std::uint8_t>(code), d);
    if (qp.responder.receive) complete_receive(qp, receive_status, {}, {}, d);
    qp.state = QpState::error;
    if (receive_status == Status::wr_flush) {  // else the CQE says why
        const bool access = code == NakCode::remote_access;
        d.actions.event({access ? EventKind::qp_access_error : EventKind::qp_request_error, qp.number, {}});
    }
}

Taken on_request(Qp& qp, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    if (qp.state != QpState::rtr && qp.state != QpState::rts && qp.state != QpState::sqd) {
        d.counts.add(RcCount::not_ready);
        return Taken::yes;
    }
    const RequestKind kind = kind_of(h.opcode);
    const std::int32_t difference = ahead(h.psn, r.expected);
    if (difference < 0) {
        on_duplicate(qp, kind, h, d);
        return Taken::yes;
    }
    if (difference > 0) {
        d.counts.add(RcCount::out_of_sequence);
        if (d.config.retransmission->selective() && take_early(qp, kind, h, d)) return Taken::yes;
        if (!r.nak_sent) push_nak(qp, AnswerKind::nak, static_cast<std::uint8_t>(NakCode::psn_sequence), d);
        return Taken::yes;
    }
    const auto refused = [&](NakCode code) {
        refuse(qp, code, Status::wr_flush, d);
        return Taken::yes;
    };
    if (!in_sequence(kind, r.incoming) || !allowed(kind, h, qp.attributes.access)) {
        return refused(NakCode::invalid_request);
    }
    if ((kind.read || kind.atomic) && r.first_answers >= qp.attributes.max_dest_rd_atomic) {
        return refused(NakCode::invalid_request);
    }
    const bool takes = (kind.send && kind.first) || (kind.write && kind.immediate);  // V-S5
    if (takes) {
        const ReceiveQueue::Look look = d.receives(qp).look(d.actions);
        if (look == ReceiveQueue::Look::reading) return Taken::later;
        if (look == ReceiveQueue::Look::none) {
            push_nak(qp, AnswerKind::rnr_nak, qp.attributes.min_rnr_timer, d);
            return Taken::yes;
        }
    }
    r.nak_sent = false;
    if (!good_length(kind, h, r, qp.attributes.path_mtu)) return refused(NakCode::invalid_request);
    if (!good_key(kind, h, qp, d.regions)) return refused(NakCode::remote_access);
    if (takes) r.receive = d.receives(qp).take(d.config.receive_batch, d.actions);
    if (kind.read || kind.atomic) {
        accept_read_or_atomic(qp, kind, h, d);
    } else {
        accept_send_or_write(qp, kind, h, d);
    }
    return Taken::yes;
}

void request_posted(Qp& qp) {
    Responder& r = qp.responder;
    if (r.posted != r.asked_to_place) ++r.posted;
}

void atomic_done(Qp& qp, Psn psn, std::uint64_t original) {
    Responder& r = qp.responder;
    if (Remembered* const old = r.memory.find(psn); old != nullptr && old->atomic) {
        old->known = true;
        old->original = original;
    }
    if (Answer* const answer = pending_answer(r, AnswerKind::atomic, psn)) {
        answer->known = true;
        answer->original = original;
    }
}

}  // namespace rnicsim::rc
