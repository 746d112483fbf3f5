// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/requester.h"

#include "model/rnic/rc/ack_time.h"
#include "model/rnic/rc/congestion.h"
#include "model/rnic/rc/held_sends.h"
#include "model/rnic/rc/request_packet.h"

namespace rnicsim::rc {
namespace {

using roce::Header;
using roce::Opcode;

/// READs and the PSNs before them have to stay in one half of the numbers (IBTA vol. 1, 9.7.2).
constexpr std::uint32_t kHalf = 1U << 23U;

bool within_window(const Qp& qp, const Decision& d) {
    return qp.requester.queue.outstanding() < d.config.window;  // V-R4; a READ may be longer than what is left of it
}

/// Credits do not cover this message (V-R5).
bool beyond_credits(const SendEntry& entry, const Requester& r) {
    return takes_receive(entry.wqe.verb) && r.credit_limit && ahead(entry.ssn, *r.credit_limit) > 0;
}
/// ... and not even their first packet is allowed: only that of the first message beyond them.
bool waits_for_credits(const SendWqe& wqe, const Requester& r) {
    return takes_receive(wqe.verb) && r.credit_limit && ahead(r.queue.next_ssn(), *r.credit_limit) > 1;
}

/// May the WQE at the cursor begin?
bool may_begin(const SendWqe& wqe, const Qp& qp, const Decision& d) {
    const SendQueue& queue = qp.requester.queue;
    if (qp.state == QpState::sqd) return false;                                                    // V-Q3
    if (wqe.verb == Verb::persist_ack) return false;                                               // V-P7: no request
    if (wqe.fence && queue.answers_due() != 0) return false;                                       // V-R7
    if (has_answer(wqe.verb) && queue.answers_due() >= qp.attributes.max_rd_atomic) return false;  // V-R6
    if (!within_window(qp, d) || !window_has_room(qp) || waits_for_credits(wqe, qp.requester)) return false;
    const auto bytes = static_cast<std::uint32_t>(bytes_of(wqe));
    if (d.config.retransmission->repeats_message()) {  // what is acknowledged of a message may be sent again
        return distance(queue.settled(), queue.next()) + packets_of(bytes, qp.attributes.path_mtu) <= kHalf;
    }
    return queue.outstanding() == 0 || queue.outstanding() + packets_of(bytes, qp.attributes.path_mtu) <= kHalf;
}

/// Of what has_answer(). Of a READ that has been answered in part it asks for what is missing (V-R8).
void ask_for_answer(Header& h, const SendEntry& entry, std::uint32_t at, const Qp& qp) {
    const SendWqe& wqe = entry.wqe;
    h.address = wqe.remote_address;
    h.key = wqe.remote_key;
    if (wqe.verb == Verb::flush) {
        h.feth = wqe.flush;
        h.length = wqe.flush_length;
        return;
    }
    if (wqe.verb == Verb::atomic_write) {
        h.length = entry.bytes;
        return;
    }
    if (wqe.verb == Verb::read) {
        const std::uint32_t mtu = qp.attributes.path_mtu;
        const std::uint32_t run = qp.requester.queue.run();
        h.address = wqe.remote_address + std::uint64_t{at} * mtu;
        h.length = at + run == entry.packets ? entry.bytes - at * mtu : run * mtu;
        return;
    }
    h.swap_or_add = wqe.swap_or_add;
    if (wqe.verb == Verb::compare_swap) h.compare = wqe.compare;
}

/// Bytes of the responder that it reads or changes, as far as the requester knows.
std::optional<Range> touches(const SendWqe& wqe) {
    if (brings_data(wqe.verb) || is_write(wqe.verb)) return Range{wqe.remote_address, bytes_of(wqe)};
    return {};
}

/// V-R12: nothing that is not acknowledged touches bytes of the WRITE that is about to begin. Keys do not count, as two
/// regions may have one place.
bool is_apart(const SendWqe& wqe, const SendQueue& queue) {
    const Range mine{wqe.remote_address, bytes_of(wqe)};
    for (auto n = queue.begun_end(); n != queue.front_number();) {
        const std::optional<Range> other = touches(queue.entry(--n).wqe);
        if (other && overlap(*other, mine)) return false;
    }
    return true;
}

/// V-R12. One with an immediate is as ever: it is taken in its turn.
void say_place(Header& h, const SendEntry& entry, std::uint32_t at, std::uint32_t mtu) {
    switch (h.opcode) {
        case Opcode::write_first: h.opcode = Opcode::selective_write_first; break;
        case Opcode::write_middle: h.opcode = Opcode::selective_write_middle; break;
        case Opcode::write_last: h.opcode = Opcode::selective_write_last; break;
        case Opcode::write_only: h.opcode = Opcode::selective_write_only; break;
        default: return;
    }
    h.address = entry.wqe.remote_address + std::uint64_t{at} * mtu;
    h.key = entry.wqe.remote_key;
    h.length = entry.bytes - at * mtu;
    h.apart = entry.apart;
}

/// V-R3; and on the last packet that may leave for now, or nothing would ever acknowledge it.
bool asks_for_ack(const SendEntry& entry, std::uint32_t at, const Qp& qp, const Decision& d) {
    const SendQueue& queue = qp.requester.queue;
    if (has_answer(entry.wqe.verb) || at + 1 == entry.packets || has_byte_window(qp)) return true;
    if (qp.requester.unasked + 1 >= d.config.ack_interval) return true;
    const std::uint32_t before = distance(queue.oldest(), queue.cursor());
    if (queue.resending()) return before + 1 == queue.outstanding();
    return before + 1 >= d.config.window || (at == 0 && beyond_credits(entry, qp.requester));
}

/// V-R9. False: there was none left.
bool take_try(Qp& qp, Decision& d) {
    std::uint8_t& tries = qp.requester.recovery.tries_left;
    if (tries == 0) {
        fail(qp, Status::retry_exc, d);
        return false;
    }
    --tries;
    return true;
}

/// The queue has gone back to the oldest PSN: the timer starts with the next packet.
void begin_again(Qp& qp, const Decision& d) {
    Requester& r = qp.requester;
    r.recovery.ack_deadline = kEndOfTime;
    r.recovery.not_executed.reset();
    r.unasked = 0;
    d.actions.goes_back(qp.number, std::max(d.now, r.recovery.rnr_until));
}

}  // namespace

std::optional<Packet> next_request(Qp& qp, Decision& d) {
    Requester& r = qp.requester;
    SendQueue& queue = r.queue;
    if (qp.state != QpState::rts && qp.state != QpState::sqd) return {};
    if (d.now < r.recovery.rnr_until) return {};
    if (auto repeat = next_repeat(qp, d)) return repeat;
    if (queue.current() == nullptr) return {};
    const SendWqe& wqe = queue.current()->wqe;
    const bool selective = d.config.retransmission->selective();
    // A WQE that is wrong fails in its turn: when all before it have completed.
    const auto cannot = [&](Status status) {
        if (ahead(queue.cursor(), queue.oldest()) <= 0) fail(qp, status, d);
        return std::optional<Packet>{};
    };
    if (!queue.current_begun()) {
        const Status local = check_local(wqe, qp, d.regions);
        if (local != Status::success) return cannot(local);
        if (!may_begin(wqe, qp, d)) return {};
        const bool apart = selective && is_apart(wqe, queue);
        queue.begin_current(qp.attributes.path_mtu, apart);
        d.actions.reached(qp.number, Stage::begun, queue.begun_end());
    } else if ((!queue.resending() && !within_window(qp, d)) || !window_has_room(qp)) {
        return {};
    }
    const SendEntry& entry = *queue.current();
    const std::uint32_t at = distance(entry.first, queue.cursor());
    // V-R5: beyond the credits the first packet is a question; its acknowledgement means that the message is taken.
    const bool first_is_acknowledged = distance(queue.oldest(), queue.cursor()) < at;
    if (!queue.resending() && at != 0 && beyond_credits(entry, r) && !first_is_acknowledged) return {};

    Header header = header_of(entry, at, qp);
    if (has_answer(wqe.verb)) ask_for_answer(header, entry, at, qp);
    if (selective) say_place(header, entry, at, qp.attributes.path_mtu);
    std::optional<Packet> packet = packet_of(header, at, wqe, queue.current_number(), qp, d.regions);
    if (!packet) return cannot(Status::loc_prot);
    packet->header.ack_request = asks_for_ack(entry, at, qp, d);
    r.unasked = packet->header.ack_request ? 0 : r.unasked + 1;
    if (queue.resending()) d.note(RcCount::retransmissions, qp);
    note_in_flight(qp, entry, *packet, d);
    queue.sent(wqe.verb == Verb::read ? queue.run() : 1);
    if (r.recovery.ack_deadline == kEndOfTime && qp.attributes.timeout != 0) {
        r.recovery.ack_deadline = d.now + ack_time(qp.attributes.timeout);
    }
    return packet;
}

void resend(Qp& qp, const Decision& d) {
    qp.requester.queue.rewind(d.config.retransmission->repeats_message());
    forget_in_flight(qp);
    begin_again(qp, d);
}

bool lost(Qp& qp, Decision& d) {
    Requester& r = qp.requester;
    // V-C4; and what is about to be sent again anyway is not a try that has failed.
    if (r.recovery.loss_seen || r.queue.oldest_is_due()) {
        if (d.config.retransmission->selective()) r.queue.repeat_before(r.queue.next());  // V-R11
        return false;
    }
    r.recovery.loss_seen = true;
    if (!take_try(qp, d)) return true;
    note_loss(qp, Loss::nak, d);
    resend(qp, d);
    return true;
}

bool lost_up_to(Qp& qp, Psn last, Decision& d) {
    Requester& r = qp.requester;
    SendQueue& queue = r.queue;
    const bool again = queue.repeat_end() == queue.oldest() || ahead(last, queue.sent_after()) >= 0;
    if (!again || queue.oldest_is_due()) {
        queue.repeat_before(last + 1);
        return false;
    }
    r.recovery.loss_seen = true;
    if (!take_try(qp, d)) return true;
    note_loss(qp, Loss::nak, d);
    queue.rewind_before(last + 1);
    begin_again(qp, d);
    return true;
}

void ack_timer_expired(Qp& qp, Decision& d) {
    d.note(RcCount::timeouts, qp);
    if (!take_try(qp, d)) return;
    note_loss(qp, Loss::timer, d);
    resend(qp, d);
}

void complete_send(const Qp& qp, const SendEntry& entry, std::uint32_t number, Status status, Decision& d) {
    if (status == Status::success && !entry.wqe.signaled) return;
    Completion c;
    c.qp = qp.number;
    c.cq = qp.init.send_cq;
    c.status = status;
    c.index = number;
    c.verb = entry.wqe.verb;
    if (brings_data(entry.wqe.verb) && status == Status::success) c.bytes = entry.bytes;
    d.actions.complete(c);
}

void complete_front(Qp& qp, Status status, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    if (status != Status::success) flush_held(qp, d);
    complete_send(qp, queue.front(), queue.front_number(), status, d);
    queue.pop();
    d.actions.reached(qp.number, Stage::ended, queue.front_number());
}

void fail(Qp& qp, Status status, Decision& d) {
    complete_front(qp, status, d);
    qp.state = QpState::error;
    qp.responder.answers.clear();
}

}  // namespace rnicsim::rc
