#include "model/rnic/rc/completer.h"

#include "model/rnic/rc/ack_time.h"
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
    if (qp.requester.queue.outstanding() == 0) {
        r.ack_deadline = kEndOfTime;
    } else if (r.ack_deadline != kEndOfTime) {
        r.ack_deadline = d.now + ack_time(qp.attributes.timeout);
    }
}

/// So many PSNs of the oldest WQE are through.
void advance(Qp& qp, std::uint32_t psns, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    queue.advance(psns);
    if (queue.oldest() == queue.front().end()) complete_front(qp, Status::success, d);
    progress(qp, d);
}

/// All PSNs before `end` have been executed by the responder. False: a READ or atomic among them has not been answered
/// here, so its answer is lost (V-C2, V-C3).
bool acknowledge_before(Qp& qp, Psn end, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    while (queue.oldest() != end) {
        if (has_answer(queue.front().wqe.verb)) return false;
        const std::uint32_t wanted = distance(queue.oldest(), end);
        advance(qp, std::min(wanted, distance(queue.oldest(), queue.front().end())), d);
    }
    return true;
}

void gap(Qp& qp, Decision& d) {
    d.counts.add(RcCount::implied_naks);
    lost(qp, d);
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
    d.counts.add(RcCount::rnr_naks_received);
    acknowledge_before(qp, h.psn, d);
    if (d.now < r.rnr_until) return;  // a copy: waiting already
    if (r.rnr_tries_left == 0) return fail(qp, Status::rnr_retry_exc, d);
    if (qp.attributes.rnr_retry != kEndlessRnrRetry) --r.rnr_tries_left;
    r.rnr_until = d.now + roce::rnr_time(h.aeth.value);
    r.loss_seen = true;  // what has been sent behind it is dropped there, and does not count as lost again
    resend(qp, d);
}

void on_nak(Qp& qp, const Header& h, Decision& d) {
    d.counts.add(RcCount::naks_received);
    if (!acknowledge_before(qp, h.psn, d)) return gap(qp, d);
    switch (static_cast<NakCode>(h.aeth.value)) {
        case NakCode::psn_sequence: return lost(qp, d);
        case NakCode::invalid_request: return fail(qp, Status::rem_inv_req, d);
        case NakCode::remote_access: return fail(qp, Status::rem_access, d);
        case NakCode::remote_operational: return fail(qp, Status::rem_op, d);
        case NakCode::invalid_rd: break;
    }
    fail(qp, Status::bad_resp, d);  // no such answer to RC
}

/// Is this what the packet `at` of a READ's answer has to be?
bool fits(const Header& h, const SendEntry& entry, std::uint32_t at, std::uint32_t mtu) {
    const bool last = at + 1 == entry.packets;
    const bool says_last = h.opcode == Opcode::read_last || h.opcode == Opcode::read_only;
    // first or middle, last or only: both can be right, as a READ may have been asked for again from here.
    return last == says_last && h.payload == (last ? entry.bytes - at * mtu : mtu);
}

/// The answer's payload goes to the WQE's memory, which must still be there.
bool place_answer(Qp& qp, const Header& h, std::uint32_t offset, std::uint32_t bytes, Decision& d) {
    if (bytes == 0) return true;
    const auto to = segments_of(qp.requester.queue.front().wqe.sges, offset, bytes, qp, d.regions, kLocalWrite);
    if (!to) return false;
    d.actions.place({qp.number, h.psn, false, *to});
    return true;
}

void on_read_response(Qp& qp, const Header& h, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    if (!acknowledge_before(qp, h.psn, d)) return gap(qp, d);
    const SendEntry& entry = queue.front();
    const std::uint32_t at = distance(entry.first, h.psn);
    const std::uint32_t mtu = qp.attributes.path_mtu;
    if (entry.wqe.verb != Verb::read || !fits(h, entry, at, mtu)) return fail(qp, Status::bad_resp, d);
    if (!place_answer(qp, h, at * mtu, h.payload, d)) return fail(qp, Status::loc_prot, d);
    advance(qp, 1, d);
}

void on_atomic_answer(Qp& qp, const Header& h, Decision& d) {
    if (!acknowledge_before(qp, h.psn, d)) return gap(qp, d);
    if (!is_atomic(qp.requester.queue.front().wqe.verb)) return fail(qp, Status::bad_resp, d);
    if (!place_answer(qp, h, 0, kAtomicBytes, d)) return fail(qp, Status::loc_prot, d);
    advance(qp, 1, d);
}

}  // namespace

void on_response(Qp& qp, const Header& h, Decision& d) {
    const SendQueue& queue = qp.requester.queue;
    if (qp.state != QpState::rts && qp.state != QpState::sqd) return d.counts.add(RcCount::not_ready);
    if (distance(queue.oldest(), h.psn) >= queue.outstanding()) return d.counts.add(RcCount::ghosts);  // V-C1
    switch (h.opcode) {
        case Opcode::read_first:
        case Opcode::read_middle:
        case Opcode::read_last:
        case Opcode::read_only: return on_read_response(qp, h, d);
        case Opcode::atomic_ack: return on_atomic_answer(qp, h, d);
        default: break;
    }
    switch (h.aeth.kind) {
        case AckKind::rnr_nak: return on_rnr_nak(qp, h, d);
        case AckKind::nak: return on_nak(qp, h, d);
        case AckKind::ack: break;
    }
    note_credits(qp.requester, h.aeth);
    if (!acknowledge_before(qp, h.psn + 1, d)) gap(qp, d);
}

}  // namespace rnicsim::rc
