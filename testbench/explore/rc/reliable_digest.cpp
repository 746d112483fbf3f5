// SPDX-License-Identifier: Apache-2.0
// Which states between reliable ends are the same.
#include "testbench/explore/rc/reliable_world.h"

#include <tuple>

namespace rnicsim::rc {
namespace {

/// Puts numbers of all kinds into a digest.
struct Key {
    explore::Mixer mixer;
    template <typename... T>
    void add(const T&... values) {
        (mixer.add(static_cast<std::uint64_t>(values)), ...);
    }
};

void add(Key& key, const Payload& p) { key.add(p.requester << 16U | p.message << 8U | p.packet); }

void add(Key& key, const std::vector<Payload>& payloads) {
    key.add(payloads.size());
    for (const Payload& p : payloads) add(key, p);
}

/// What a count of writes waits for, seen from now: 0: nothing more; 1: nothing, and none was asked for since. How many
/// there were in all tells nothing, and grows for ever where a message begins anew (go_back_0).
std::uint32_t waits_for(std::uint32_t after, const Responder& r) {
    if (after == r.asked_to_place) return 1 + (r.asked_to_place - r.posted);
    const std::uint32_t more = after - r.posted;
    return static_cast<std::int32_t>(more) <= 0 ? 0 : 0x100 + more;
}

void add_answers(Key& key, const Responder& r) {
    key.add(r.answers.size());
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        const Answer& a = r.answers[n];
        key.add(a.kind, a.psn.n, a.msn.n, a.value, a.arrived.n, waits_for(a.after, r), a.first_time, a.length,
                a.packets, a.sent, a.known);
    }
}

void add(Key& key, const CameAhead& came) {
    key.add(came.size());
    for (std::uint32_t place = 0; place < came.size(); ++place) key.add(came.has(place));
}

/// What only selective repeat has.
void add_selective(Key& key, const Qp& qp) {
    const SendQueue& queue = qp.requester.queue;
    const Early& early = qp.responder.early;
    key.add(queue.repeat_end().n, queue.sent_after().n, early.writes.size(), early.dropped ? early.dropped->n + 1 : 0);
    for (auto n = early.writes.first(); n != early.writes.end(); ++n) key.add(early.writes[n].first.n);
    for (auto n = queue.front_number(); n != queue.begun_end(); ++n) key.add(queue.entry(n).apart);
    add(key, queue.came());
    add(key, early.came);
}

void add_requester(Key& key, const Requester& r, Time now) {
    const Recovery& recovery = r.recovery;
    std::apply([&](const auto&... v) { key.add(v...); }, r.queue.memory());
    key.add(recovery.tries_left, recovery.rnr_tries_left, recovery.loss_seen,
            recovery.gap_seen_by ? recovery.gap_seen_by->n + 1 : 0,
            recovery.not_executed ? recovery.not_executed->n + 1 : 0, recovery.ack_deadline != kEndOfTime,
            now < recovery.rnr_until, r.unasked);
    if (recovery.not_executed) key.add(r.queue.repeat_end().n);  // when that is over
}

/// What is on its way to where it lasts: at the requester and at the responder.
void add_persists(Key& key, const Qp& qp, Time now) {
    const CountedRing<HeldSend>& held = qp.requester.held;
    key.add(held.size());
    for (auto n = held.first(); n != held.end(); ++n)
        key.add(held[n].number, held[n].waits, held[n].repeat_at <= now, held[n].repeats, held[n].due);
    const Responder& r = qp.responder;
    key.add(r.persist, r.persisted ? r.persisted->n + 1 : 0, r.persists.size());
    for (auto n = r.persists.first(); n != r.persists.end(); ++n) key.add(r.persists[n].psn.n, r.persists[n].flush);
}

void add_responder(Key& key, const Responder& r) {
    key.add(r.expected.n, r.msn.n, r.nak_sent, r.incoming, r.bytes, r.address, r.left, r.first_answers);
    for (const Remembered& m : r.memory.all()) key.add(m.valid, m.psn.n, m.known);
}

/// In ERR nothing is sent but what is left of the answers, and nothing is taken.
void add(Key& key, const CardState& card, std::uint8_t place) {
    const Qp& qp = card.state(place);
    const Responder& r = qp.responder;
    key.add(qp.state, qp.flushed, qp.listed[0], qp.listed[1], r.receive ? r.receive->index + 1 : 0);
    add_answers(key, r);
    if (card.durable) add_persists(key, qp, card.now);
    const bool at_rest = qp.state == QpState::error && r.answers.empty();
    if (!at_rest) key.add(r.asked_to_place - r.posted);
    const EndState& end = card.ends[place];
    key.add(end.posted, end.ended, end.cqes, end.failed, end.receives_ended, end.receive_cqes, end.atomics,
            end.modified, end.told_last_wqe);
    for (const std::uint8_t naks : end.rnr_naks) key.add(naks);
    for (const std::uint8_t receive : end.receive_of) key.add(receive);
    if (qp.state == QpState::error) return;
    add_requester(key, qp.requester, card.now);
    add_responder(key, r);
    if (card.workload->retransmission->selective()) add_selective(key, qp);
    key.add(end.open_nak ? end.open_nak->n + 1 : 0, end.told.size());
    for (const Psn psn : end.told) key.add(psn.n);
}

void add(Key& key, const CardState& card) {
    const ReceiveQueue& receives = card.receives();
    std::apply([&](const auto&... v) { key.add(v...); }, receives.memory());
    key.add(receives.ready(), card.receive_fetches, card.receives_waiting, card.receives_posted, card.receives_taken,
            card.shared_ended, card.gone, card.writes.size(), card.atomics.size(), card.atomics_done);
    for (const CardState::Write& w : card.writes) {
        key.add(w.end, w.of_request, w.is_cqe, w.ends_job, w.cqe.receive, w.cqe.index, w.cqe.status);
        add(key, w.payload);
    }
    if (card.durable) card.durable->each_number([&](const auto& number) { key.add(number); });
    for (const AtomicJob& job : card.atomics) key.add(job.qp.n, job.psn.n);
    for (std::uint8_t place = 0; place < card.qps(); ++place) add(key, card, place);
    if (card.ends.size() > 1) key.add(card.rc.next_turn(Lane::answer).n);
}

}  // namespace

explore::Digest digest(const ReliableWorld& world) {
    Key key;
    key.add(world.faults_left_, world.disturbed_, world.waiting_.size());
    for (const std::uint8_t wire : world.waiting_) key.add(wire);
    for (const CardState& card : world.cards_) add(key, card);
    for (std::uint8_t e = 0; e < world.ends(); ++e) {
        // What is in memory is asked for by CQEs, and what is placed by packets; neither comes any more.
        const bool writes = !world.cards_[ReliableWorld::card_of(e)].writes.empty();
        if (writes || !world.in_error(e) || !world.in_error(ReliableWorld::peer_of(e))) {
            const EndState& end = world.end(e);
            for (const auto* payloads :
                 {&end.requests.placed, &end.requests.in_memory, &end.answers.placed, &end.answers.in_memory})
                add(key, *payloads);
        }
        key.add(world.wires_[e].frames.size());
        for (const ReliableWorld::Flight& f : world.wires_[e].frames) {
            const roce::Header& h = f.header;
            key.add(h.opcode, h.psn.n, h.ack_request, h.apart, h.length, h.address, h.payload, h.aeth.kind,
                    h.aeth.value, h.aeth.msn.n, h.original, h.arrived.n, f.read_at);
        }
    }
    return key.mixer.finish();
}

}  // namespace rnicsim::rc
