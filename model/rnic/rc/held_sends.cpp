// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/held_sends.h"

#include "model/rnic/rc/processor_persists.h"
#include "model/rnic/rc/request_packet.h"
#include "model/rnic/rc/requester.h"

namespace rnicsim::rc {
namespace {

bool waits_for_pack(const Qp& qp, const SendWqe& wqe) {
    return wqe.verb == Verb::write_persist && qp.init.persist->waits_for_pack();
}

Psn last_of(const SendEntry& entry) { return entry.end() - 1; }

Time next_repeat_at(const Decision& d) {
    return d.config.persist.timer == Time{} ? kEndOfTime : d.now + d.config.persist.timer;
}

/// What waits for nothing any more, up to the first that does.
void release(Qp& qp, Decision& d) {
    if (by_processor(qp)) return look_for_receives(qp, d);
    CountedRing<HeldSend>& held = qp.requester.held;
    while (!held.empty() && !held.front().waits) {
        complete_send(qp, held.front().entry, held.front().number, Status::success, d);
        held.pop();
    }
}

/// The oldest one that waits: with its PACK, or a later one's, the others need none.
template <typename Held>
auto* oldest_waiting(Held& held) {
    auto n = held.first();
    while (n != held.end() && !held[n].waits) ++n;
    return n == held.end() ? nullptr : &held[n];
}

}  // namespace

void acknowledge_front(Qp& qp, Decision& d) {
    Requester& r = qp.requester;
    const bool waits = waits_for_pack(qp, r.queue.front().wqe);
    const bool completes = by_processor(qp) || (!waits && r.held.empty());  // V-P7
    if (waits || !completes) r.held.push({r.queue.front(), r.queue.front_number(), waits, next_repeat_at(d), 0, false});
    if (completes) return complete_front(qp, Status::success, d);
    r.queue.pop();
    d.actions.reached(qp.number, Stage::ended, r.queue.front_number());
}

bool pack_came(Qp& qp, Psn psn, bool exact, Decision& d) {
    CountedRing<HeldSend>& held = qp.requester.held;
    bool any = false;
    for (auto n = held.first(); n != held.end(); ++n) {
        const std::int32_t difference = ahead(last_of(held[n].entry), psn);
        if (!held[n].waits || difference > 0 || (exact && difference != 0)) continue;
        held[n].waits = false;
        any = true;
    }
    if (!any) return false;
    d.note(RcCount::packs_received, qp);
    HeldSend* const next = oldest_waiting(held);
    if (next != nullptr && !next->due) next->repeat_at = next_repeat_at(d);
    release(qp, d);
    return true;
}

bool is_second_ack(const Qp& qp, const roce::Header& h) {
    if (!qp.init.persist || qp.init.persist->pack != PersistPack::psn_only || h.opcode != roce::Opcode::ack ||
        h.aeth.kind != roce::AckKind::ack)
        return false;
    const CountedRing<HeldSend>& held = qp.requester.held;
    for (auto n = held.first(); n != held.end(); ++n) {
        if (held[n].waits && last_of(held[n].entry) == h.psn) return true;
    }
    return false;
}

void flush_held(Qp& qp, Decision& d) {
    CountedRing<HeldSend>& held = qp.requester.held;
    if (by_processor(qp)) return held.clear();  // they have completed
    while (!held.empty()) {
        const HeldSend one = held.pop_front();
        complete_send(qp, one.entry, one.number, Status::wr_flush, d);
    }
}

void drop_packs(Qp& qp, Decision& d) {
    CountedRing<HeldSend>& held = qp.requester.held;
    std::uint32_t kept = 0;
    for (auto n = held.first(); n != held.end(); ++n) {
        if (held[n].waits || ++kept <= d.config.persist.hold) continue;
        held[n].waits = true;
        held[n].repeat_at = next_repeat_at(d);
        d.note(RcCount::packs_dropped, qp);
    }
}

std::uint32_t places_of_held(const Qp& qp) { return by_processor(qp) ? 0 : qp.requester.held.size(); }

Time repeat_at(const Qp& qp) {
    const HeldSend* const held = oldest_waiting(qp.requester.held);
    return held == nullptr || held->due ? kEndOfTime : held->repeat_at;
}

bool repeat_is_due(const Qp& qp) {
    const HeldSend* const held = oldest_waiting(qp.requester.held);
    return held != nullptr && held->due;
}

void repeat_expired(Qp& qp, Decision& d) {
    HeldSend& held = *oldest_waiting(qp.requester.held);
    if (held.repeats++ < qp.attributes.retry_cnt) {
        held.due = true;
        return;
    }
    if (by_processor(qp)) {  // it has completed: the receive WQEs for its PACK tell, which are flushed
        d.actions.event({EventKind::qp_fatal, qp.number, {}});
    } else {
        const HeldSend failed = qp.requester.held.pop_front();
        complete_send(qp, failed.entry, failed.number, Status::retry_exc, d);
    }
    qp.state = QpState::error;
    qp.responder.answers.clear();
}

std::optional<Packet> next_repeat(Qp& qp, Decision& d) {
    HeldSend* const held = oldest_waiting(qp.requester.held);
    if (held == nullptr || !held->due) return {};
    held->due = false;
    held->repeat_at = next_repeat_at(d);
    const std::uint32_t at = held->entry.packets - 1;
    roce::Header header = header_of(held->entry, at, qp);
    header.ack_request = true;
    d.note(RcCount::persist_repeats, qp);
    return packet_of(header, at, held->entry.wqe, held->number, qp, d.regions);
}

}  // namespace rnicsim::rc
