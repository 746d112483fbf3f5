// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/completer.h"

#include "model/rnic/rc/ack_time.h"
#include "model/rnic/rc/congestion.h"
#include "model/rnic/rc/held_sends.h"
#include "model/rnic/rc/requester.h"
#include "tlm/roce/syndrome.h"

namespace rnicsim::rc {
namespace {

using roce::AckKind;
using roce::Header;
using roce::NakCode;
using roce::Opcode;

/// Counters reload, and the timer runs anew (V-R8, V-R9).
void progress(Qp& qp, Decision& d) {
    Recovery& r = qp.requester.recovery;
    r.tries_left = qp.attributes.retry_cnt;
    r.rnr_tries_left = qp.attributes.rnr_retry;
    r.loss_seen = false;
    r.gap_seen_by.reset();
    const SendQueue& queue = qp.requester.queue;
    if (queue.repeat_end() == queue.oldest()) r.not_executed.reset();  // nothing that was sent again is left
    // What is about to be sent again starts it: a try is a packet that has left.
    const bool runs = qp.attributes.timeout != 0 && queue.outstanding() != 0 && !queue.oldest_is_due();
    r.ack_deadline = runs ? d.now + ack_time(qp.attributes.timeout) : kEndOfTime;
}

/// So many PSNs of the oldest WQE are through, and those behind them that have come already (V-C9).
void advance(Qp& qp, std::uint32_t psns, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    do {
        queue.advance(psns);
        if (queue.oldest() == queue.front().end()) acknowledge_front(qp, d);
        psns = 1;
    } while (queue.has_come(queue.oldest()));
    progress(qp, d);
    d.actions.progressed(qp.number, ahead(queue.repeat_end(), queue.oldest()) > 0);
}

/// All PSNs before `end` have been executed by the responder. False: a READ or atomic among them has not been answered
/// here, so its answer is lost (V-C2, V-C3). `by_ack`: an ACK of the last of them says so.
bool acknowledge_before(Qp& qp, Psn end, Decision& d, bool by_ack = false) {
    SendQueue& queue = qp.requester.queue;
    bool whole = true;
    while (ahead(end, queue.oldest()) > 0) {
        whole = !has_answer(queue.front().wqe.verb);
        if (!whole) break;
        const std::uint32_t wanted = distance(queue.oldest(), end);
        advance(qp, std::min(wanted, distance(queue.oldest(), queue.front().end())), d);
    }
    note_acknowledged(qp, by_ack && queue.oldest() == end, d);
    return whole;
}

/// Selective repeat: what has no answer of its own needs not be sent again, though the oldest has not been answered.
void mark_executed(SendQueue& queue, Psn end) {
    for (Psn psn = queue.oldest(); ahead(end, psn) > 0;) {
        const SendEntry& entry = queue.entry_of(psn);
        if (!has_answer(entry.wqe.verb)) queue.mark_come(psn);
        psn = has_answer(entry.wqe.verb) ? entry.end() : psn + 1;
    }
}

/// V-C12: answers come in the order of their PSNs. One that shows the gap and is not behind the one that did so last is
/// of a repetition, whose answer to the oldest PSN has been lost as well. So is one to what had not been
/// executed when a NAK sequence was sent: it was sent again behind the oldest PSN.
void note_repetition(Qp& qp, Psn last) {
    Recovery& r = qp.requester.recovery;
    if (qp.requester.queue.oldest_is_due()) {
        r.gap_seen_by = last;
        return;
    }
    const bool behind = r.gap_seen_by && ahead(last, *r.gap_seen_by) <= 0;
    const bool repeated = behind || (r.not_executed && ahead(last, *r.not_executed) >= 0);
    r.gap_seen_by = last;
    if (!repeated) return;
    r.loss_seen = false;
    qp.requester.queue.forget_repetition();
}

/// Answers to some PSNs up to `last` are lost; all before `end` have been executed (V-C2, V-C3, V-C10). `answer`: to
/// `last`, it says so; else an ACK or NAK, which duplicates may bring over and over. True: the oldest is sent again.
bool gap(Qp& qp, Psn end, Psn last, Decision& d, bool answer = false) {
    const bool selective = d.config.retransmission->selective();
    if (selective) mark_executed(qp.requester.queue, end);
    if (answer) note_repetition(qp, last);
    const bool again = selective ? lost_up_to(qp, last, d) : lost(qp, d);
    if (again) d.note(RcCount::implied_naks, qp);
    return again;
}

/// V-R5: MSN and credits of an ACK; 31: not counted.
void note_credits(Requester& r, const roce::Aeth& aeth) {
    if (aeth.value == roce::kNoCredits) {
        r.credit_limit.reset();
    } else {
        r.credit_limit = aeth.msn + roce::credits(aeth.value);
    }
}

void on_rnr_nak(Qp& qp, const Header& h, Decision& d) {
    Recovery& r = qp.requester.recovery;
    d.note(RcCount::rnr_naks_received, qp);
    if (!acknowledge_before(qp, h.psn, d) && d.config.retransmission->selective()) {
        mark_executed(qp.requester.queue, h.psn);
    }
    if (d.now < r.rnr_until) return;  // a copy: waiting already
    if (r.rnr_tries_left == 0) return fail(qp, Status::rnr_retry_exc, d);
    if (qp.attributes.rnr_retry != kEndlessRnrRetry) --r.rnr_tries_left;
    r.rnr_until = d.now + roce::rnr_time(h.aeth.value);
    r.loss_seen = true;  // what has been sent behind it is dropped there, and does not count as lost again
    resend(qp, d);
}

/// V-C10: a NAK may name a PSN that has come ahead of the one that is missing.
bool note_arrived(SendQueue& queue, const Header& h, const Decision& d) {
    const bool outstanding = distance(queue.oldest(), h.arrived) < queue.outstanding();
    if (h.opcode != Opcode::selective_nak || !d.config.retransmission->selective()) return false;
    if (!outstanding || ahead(h.arrived, h.psn) <= 0) return false;
    queue.mark_come(h.arrived);
    return true;
}

/// go_back_0: a NAK of the oldest message's first packet, though some of it was acknowledged: the responder has given
/// up what it had of it (V-S1).
bool starts_over(const SendQueue& queue, const Header& h, const Decision& d) {
    return d.config.retransmission->repeats_message() && h.opcode == Opcode::ack && h.aeth.kind == AckKind::nak &&
           queue.outstanding() != 0 && h.psn == queue.settled() && queue.front_begun();
}

/// A NAK sequence behind a READ or atomic that has not been answered. It is told once a gap: with selective repeat what
/// is missing there goes behind what is asked for again (V-R11).
void on_nak_behind_gap(Qp& qp, const Header& h, bool tells_more, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    const bool selective = d.config.retransmission->selective();
    const bool not_repeated = selective && ahead(h.psn, queue.repeat_end()) >= 0;
    const bool again = gap(qp, h.psn, tells_more ? h.arrived : h.psn - 1, d);
    if (qp.state == QpState::error) return;  // there was no try left
    if (static_cast<NakCode>(h.aeth.value) != NakCode::psn_sequence) return;
    if (selective && !tells_more) queue.repeat_before(queue.next());
    if (again || not_repeated) qp.requester.recovery.not_executed = h.psn;
}

void on_nak(Qp& qp, const Header& h, Decision& d) {
    d.note(RcCount::naks_received, qp);
    const bool tells_more = note_arrived(qp.requester.queue, h, d);
    if (!acknowledge_before(qp, h.psn, d)) return on_nak_behind_gap(qp, h, tells_more, d);
    switch (static_cast<NakCode>(h.aeth.value)) {
        case NakCode::psn_sequence:
            if (tells_more ? lost_up_to(qp, h.arrived, d) : lost(qp, d)) qp.requester.recovery.not_executed = h.psn;
            return;
        case NakCode::invalid_request: return fail(qp, Status::rem_inv_req, d);
        case NakCode::remote_access: return fail(qp, Status::rem_access, d);
        case NakCode::remote_operational: return fail(qp, Status::rem_op, d);
        case NakCode::invalid_rd: break;
    }
    fail(qp, Status::bad_resp, d);  // no such answer to RC
}

/// Bytes that the answer brings.
std::uint32_t bytes_of_answer(const SendEntry& entry) { return brings_data(entry.wqe.verb) ? entry.bytes : 0; }

/// Is this the answer that the PSN has to get? Of a READ also by its bytes; of a FLUSH or ATOMIC WRITE it has none.
bool fits(const Header& h, const SendEntry& entry, const Qp& qp, const Decision& d) {
    const bool of_atomic = h.opcode == Opcode::atomic_ack;
    if (!has_answer(entry.wqe.verb) || is_atomic(entry.wqe.verb) != of_atomic) return false;
    if (of_atomic) return true;
    const std::uint32_t at = distance(entry.first, h.psn);
    const std::uint32_t mtu = qp.attributes.path_mtu;
    const bool last = at + 1 == entry.packets;
    const bool says_last = h.opcode == Opcode::read_last || h.opcode == Opcode::read_only;
    // first or middle, last or only: both can be right, as a READ may have been asked for again from here; with
    // selective repeat up to here as well.
    if (last != says_last && (last || !d.config.retransmission->selective())) return false;
    return h.payload == (last ? bytes_of_answer(entry) - at * mtu : mtu);
}

/// Where an answer's payload goes: the WQE's memory, if it is still there.
std::optional<Segments> place_of_answer(const SendEntry& entry, Psn psn, const Qp& qp, const Decision& d) {
    const std::uint32_t mtu = qp.attributes.path_mtu;
    const std::uint32_t offset = distance(entry.first, psn) * mtu;
    const std::uint32_t bytes = std::min(mtu, bytes_of_answer(entry) - offset);
    return segments_of(entry.wqe.sges, offset, bytes, qp, d.regions, kLocalWrite);
}

bool place_answer(const SendEntry& entry, const Header& h, const Qp& qp, Decision& d) {
    const auto to = place_of_answer(entry, h.psn, qp, d);
    if (to && !to->empty()) d.actions.place({qp.number, h.psn, false, *to});
    return to.has_value();
}

/// V-C9: an answer is placed though some before it are missing; but not where one of these will be placed, which is
/// older. What is wrong with it shows when its turn comes.
void place_answer_early(Qp& qp, const Header& h, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    const SendEntry& entry = queue.entry_of(h.psn);
    if (!fits(h, entry, qp, d)) return;
    const auto to = place_of_answer(entry, h.psn, qp, d);
    if (!to) return;
    for (Psn psn = queue.oldest(); psn != h.psn; psn = psn + 1) {
        if (queue.has_come(psn)) continue;
        const SendEntry& older = queue.entry_of(psn);
        if (!has_answer(older.wqe.verb)) continue;
        const auto taken = place_of_answer(older, psn, qp, d);
        if (!taken || overlap(*taken, *to)) return;
    }
    place_answer(entry, h, qp, d);
    queue.mark_come(h.psn);
}

/// Of a READ, FLUSH or ATOMIC WRITE, or of an atomic.
void on_answer(Qp& qp, const Header& h, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    if (queue.has_come(h.psn)) return d.note(RcCount::ghosts, qp);
    if (!acknowledge_before(qp, h.psn, d)) {
        if (d.config.retransmission->selective()) place_answer_early(qp, h, d);
        gap(qp, queue.entry_of(h.psn).first, h.psn, d, true);
        return;
    }
    const SendEntry& entry = queue.front();
    if (!fits(h, entry, qp, d)) return fail(qp, Status::bad_resp, d);
    if (!place_answer(entry, h, qp, d)) return fail(qp, Status::loc_prot, d);
    advance(qp, 1, d);
    note_acknowledged(qp, false, d);  // WRITEs behind it may have come already
}

/// It says that all up to here was received, too.
void on_persist_ack(Qp& qp, const Header& h, Decision& d) {
    const SendQueue& queue = qp.requester.queue;
    const bool outstanding = distance(queue.oldest(), h.psn) < queue.outstanding();
    const bool whole = !outstanding || acknowledge_before(qp, h.psn + 1, d);
    if (!pack_came(qp, h.psn, false, d) && !outstanding) return d.note(RcCount::ghosts, qp);
    if (!whole) gap(qp, h.psn + 1, h.psn, d);
}

}  // namespace

void on_response(Qp& qp, const Header& h, Decision& d) {
    const SendQueue& queue = qp.requester.queue;
    if (qp.state != QpState::rts && qp.state != QpState::sqd) return d.note(RcCount::not_ready, qp);
    if (h.opcode == Opcode::persist_ack && qp.init.persist) return on_persist_ack(qp, h, d);
    if (is_second_ack(qp, h)) {
        pack_came(qp, h.psn, true, d);
        return;
    }
    if (starts_over(queue, h, d)) {  // once each time that it has begun anew, though nothing of it was acknowledged
        qp.requester.recovery.loss_seen = false;
        return on_nak(qp, h, d);
    }
    if (distance(queue.oldest(), h.psn) >= queue.outstanding()) return d.note(RcCount::ghosts, qp);  // V-C1
    switch (h.opcode) {
        case Opcode::read_first:
        case Opcode::read_middle:
        case Opcode::read_last:
        case Opcode::read_only:
        case Opcode::atomic_ack: return on_answer(qp, h, d);
        default: break;
    }
    switch (h.aeth.kind) {
        case AckKind::rnr_nak: return on_rnr_nak(qp, h, d);
        case AckKind::nak: return on_nak(qp, h, d);
        case AckKind::ack: break;
    }
    note_credits(qp.requester, h.aeth);
    if (!acknowledge_before(qp, h.psn + 1, d, true)) gap(qp, h.psn + 1, h.psn, d);
}

}  // namespace rnicsim::rc
