// SPDX-License-Identifier: Apache-2.0
// The responder's way in: requests. Answers: answers.cpp.
#include "model/rnic/rc/responder.h"

#include "model/rnic/rc/duplicates.h"
#include "model/rnic/rc/early_writes.h"
#include "model/rnic/rc/pending_answers.h"
#include "model/rnic/rc/persists.h"
#include "model/rnic/rc/processor_persists.h"
#include "model/rnic/rc/psn_engine.h"
#include "model/rnic/rc/receives.h"

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::NakCode;
using roce::Opcode;

/// On the bus, the last byte of what a FLUSH is for. Of no bytes the address is not checked, so nothing is read there.
std::optional<std::uint64_t> flushed_byte(const Qp& qp, const Header& h, const MrTable& regions) {
    const std::optional<Range> range = flushed_range(h, qp.init.pd, regions);
    if (!range || range->length == 0) return {};
    return regions.bus(h.key, range->address + range->length - 1);
}

/// V-S12: of what has come ahead nothing is left, but there was more.
void tell_dropped(Qp& qp, Decision& d) {
    Responder& r = qp.responder;
    if (!r.early.dropped || !r.early.came.empty()) return;
    const bool missing = ahead(*r.early.dropped, r.expected) >= 0;
    r.early.dropped.reset();
    if (missing) push_sequence_nak(qp, d);
}

/// The expected PSN has been executed: what has come behind it is passed.
void pass_behind(Qp& qp, bool acknowledges, Decision& d) {
    if (pass_early(qp) || acknowledges) push_ack(qp, d);
    // V-R12: it says that it goes on with a message, and none has begun.
    if (qp.responder.early.came.has(0)) return refuse(qp, NakCode::invalid_request, Status::wr_flush, d);
    tell_dropped(qp, d);
}

/// A request whose answer is more than an ACK.
void accept_asking(Qp& qp, const RequestKind& kind, const Header& h, const PsnVerdict& order, Decision& d) {
    Responder& r = qp.responder;
    Remembered what;
    what.kind = kind.read ? AnswerKind::read : kind.atomic ? AnswerKind::atomic : AnswerKind::executed;
    what.known = kind.atomic_write;  // V-S4: when it is posted
    what.psn = h.psn;
    what.packets = kind.read ? packets_of(h.length, qp.attributes.path_mtu) : 1;
    what.address = h.address;
    what.key = h.key;
    what.length = kind.read ? h.length : kAtomicBytes;
    r.memory.remember(what);
    r.expected = order.executed.expected;
    r.early.came.advance(what.packets);
    r.msn = r.msn + 1;  // V-S3: when it is accepted
    const std::uint64_t at = d.regions.bus(h.key, h.address);
    if (kind.atomic_write) {
        ++r.asked_to_place;
        d.actions.place({qp.number, h.psn, true, {{at, kAtomicBytes}}});
    }
    push_answer(qp, what);
    if (kind.atomic)
        d.actions.atomic({qp.number, h.psn, h.opcode == Opcode::compare_swap, at, h.swap_or_add, h.compare});
    if (kind.flush) accept_persist(qp, h.psn, flushed_byte(qp, h, d.regions), true, d);
    pass_behind(qp, false, d);
}

/// go_back_0: PSN of the first packet of the message under way. All of it that has come are full packets.
Psn first_of_message(const Qp& qp) { return qp.responder.expected - qp.responder.bytes / qp.attributes.path_mtu; }

/// V-S1, go_back_0: what has come of the message under way is given up; it has to come anew from its first packet. A
/// receive WQE that it has taken stays its own.
void start_over(Qp& qp, Psn from) {
    Responder& r = qp.responder;
    r.expected = from;
    r.incoming = Incoming::none;
    r.bytes = 0;
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        Answer& a = r.answers[n];
        // What they would acknowledge of it counts no more.
        if (a.kind == AnswerKind::ack && ahead(a.psn, r.expected) >= 0) a.psn = r.expected - 1;
        if (a.kind == AnswerKind::rnr_nak && ahead(a.psn, r.expected) > 0) a.psn = r.expected;
    }
}

PsnVerdict place_in_order(const Qp& qp, const RequestKind& kind, const Header& h, const Decision& d) {
    const Responder& r = qp.responder;
    const bool repeats = d.config.retransmission->repeats_message();
    const PsnWord word{r.expected, repeats ? first_of_message(qp) : r.expected, r.incoming != Incoming::none,
                       r.nak_sent};
    const std::uint32_t packets = kind.read ? packets_of(h.length, qp.attributes.path_mtu) : 1;
    return d.psns.judge(word, {h.psn, kind.first, kind.last, packets}, repeats);
}

void accept_send_or_write(Qp& qp, const RequestKind& kind, const Header& h, const PsnVerdict& order, Decision& d) {
    Responder& r = qp.responder;
    if (kind.first) begin_message(r, kind, h);
    Segments to;
    if (kind.write) {
        to = take_written(r, h, d.regions);
    } else if (const Status fit = fit_receive(qp, r.bytes, h.payload, to, d); fit != Status::success) {
        return refuse(qp, fit == Status::loc_len ? NakCode::invalid_request : NakCode::remote_operational, fit, d);
    }
    const bool persist = kind.last && is_persist(qp, kind, kind.first ? h.key : r.key, d.regions);
    // A card that does not wait asks before the last bytes are on their way (n10).
    const std::uint32_t bytes = r.bytes + h.payload;
    std::optional<std::uint64_t> last;
    if (bytes != 0) last = d.regions.bus(r.key, r.address) - 1;
    const bool by_card = persist && !by_processor(qp);
    const bool too_early = by_card && d.config.persist.read_bypass;
    if (too_early) accept_persist(qp, h.psn, last, false, d);
    if (!to.empty()) {
        ++r.asked_to_place;
        d.actions.place({qp.number, h.psn, true, to});
    }
    if (by_card && !too_early) accept_persist(qp, h.psn, last, false, d);
    if (persist && !by_card) ask_processor(qp, {h.psn, r.address - bytes, bytes, h.solicited}, d);
    r.bytes += h.payload;
    r.expected = order.executed.expected;
    r.early.came.advance(1);
    r.incoming = kind.last ? Incoming::none : (kind.write ? Incoming::write : Incoming::send);
    if (kind.last) {
        r.msn = r.msn + 1;  // V-S3
        if (kind.invalidates) d.regions.invalidate(h.key, qp.init.pd);
        if (r.receive && (kind.send || kind.immediate)) complete_receive(qp, completion_of(qp, kind, h), d);
    }
    const bool acknowledges = h.ack_request && (!persist || qp.init.persist->acknowledges_reception());  // V-P3
    pass_behind(qp, acknowledges, d);
}

}  // namespace

void refuse(Qp& qp, NakCode code, Status receive_status, Decision& d) {
    push_nak(qp, AnswerKind::nak, static_cast<std::uint8_t>(code), d);
    if (qp.responder.receive) complete_receive(qp, failed(receive_status), d);
    qp.state = QpState::error;
    if (receive_status == Status::wr_flush) {  // else the CQE says why
        const bool access = code == NakCode::remote_access;
        d.actions.event({access ? EventKind::qp_access_error : EventKind::qp_request_error, qp.number, {}});
    }
}

Taken on_request(Qp& qp, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    if (!takes_requests(qp.state)) {
        d.note(RcCount::not_ready, qp);
        return Taken::yes;
    }
    const RequestKind kind = kind_of(h.opcode);
    const PsnVerdict order = place_in_order(qp, kind, h, d);
    if (order.restarts) start_over(qp, order.now.expected);
    if (order.place == PsnPlace::duplicate) {
        on_duplicate(qp, kind, h, d);
        return Taken::yes;
    }
    if (order.place != PsnPlace::expected) {
        d.note(RcCount::out_of_sequence, qp);
        if (d.config.retransmission->selective() && take_early(qp, kind, h, d)) return Taken::yes;
        if (order.place == PsnPlace::gap) push_sequence_nak(qp, d);
        return Taken::yes;
    }
    const auto refused = [&](NakCode code) {
        refuse(qp, code, Status::wr_flush, d);
        return Taken::yes;
    };
    const Verdict verdict = d.checks.check(kind, h, qp, d.regions);
    if (!verdict.sequence || !verdict.allowed) return refused(NakCode::invalid_request);
    if (kind.has_answer() && r.first_answers >= qp.attributes.max_dest_rd_atomic) {
        return refused(NakCode::invalid_request);
    }
    if (kind.atomic_write && flushes(qp)) return Taken::later;  // V-P5
    const bool persist = kind.last && is_persist(qp, kind, kind.first ? h.key : r.key, d.regions);
    const bool by_card = kind.flush || (persist && !by_processor(qp));
    if (by_card && !d.actions.has_room_to_persist()) return Taken::later;
    if (persist && !by_card && !may_ask_processor(qp, d)) {
        push_nak(qp, AnswerKind::rnr_nak, qp.attributes.min_rnr_timer, d);
        return Taken::yes;
    }
    const bool takes = (kind.send && kind.first) || (kind.write && kind.immediate);  // V-S5
    if (takes && !r.receive) {                                                       // one that begins anew has it
        const ReceiveQueue::Look look = d.receives(qp).look(d.actions);
        if (look == ReceiveQueue::Look::reading) return Taken::later;
        if (look == ReceiveQueue::Look::none) {
            push_nak(qp, AnswerKind::rnr_nak, qp.attributes.min_rnr_timer, d);
            return Taken::yes;
        }
    }
    r.nak_sent = false;
    if (!verdict.length) return refused(NakCode::invalid_request);
    if (!verdict.key) return refused(NakCode::remote_access);
    if (takes && !r.receive) r.receive = d.receives(qp).take(qp.number, d.config.receive_batch, d.actions);
    if (kind.has_answer()) {
        accept_asking(qp, kind, h, order, d);
    } else {
        accept_send_or_write(qp, kind, h, order, d);
    }
    return Taken::yes;
}

void request_posted(Qp& qp) {
    Responder& r = qp.responder;
    if (r.posted != r.asked_to_place) ++r.posted;
}

void atomic_done(Qp& qp, Psn psn, std::uint64_t original) {
    Responder& r = qp.responder;
    if (Remembered* const old = r.memory.find(psn); old != nullptr && old->kind == AnswerKind::atomic) {
        old->known = true;
        old->original = original;
    }
    if (Answer* const answer = pending_answer(r, AnswerKind::atomic, psn)) {
        answer->known = true;
        answer->original = original;
    }
}

}  // namespace rnicsim::rc
