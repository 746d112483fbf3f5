#include "model/rnic/rc/held_sends.h"

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
    CountedRing<HeldSend>& held = qp.requester.held;
    while (!held.empty() && !held.front().waits) {
        complete_send(qp, held.front().entry, held.front().number, Status::success, d);
        held.pop();
    }
}

/// The oldest one that waits: with its PACK, or a later one's, the others need none.
HeldSend* oldest_waiting(Qp& qp) { return qp.requester.held.empty() ? nullptr : &qp.requester.held.front(); }

}  // namespace

void acknowledge_front(Qp& qp, Decision& d) {
    Requester& r = qp.requester;
    const bool waits = waits_for_pack(qp, r.queue.front().wqe);
    if (!waits && r.held.empty()) return complete_front(qp, Status::success, d);
    r.held.push({r.queue.front(), r.queue.front_number(), waits, next_repeat_at(d), 0, false});
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
    if (any) d.note(RcCount::packs_received, qp);
    release(qp, d);
    return any;
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
    while (!held.empty()) {
        const HeldSend one = held.pop_front();
        complete_send(qp, one.entry, one.number, Status::wr_flush, d);
    }
}

Time repeat_at(const Qp& qp) {
    const CountedRing<HeldSend>& held = qp.requester.held;
    return held.empty() || held.front().due ? kEndOfTime : held.front().repeat_at;
}

void repeat_expired(Qp& qp, Decision& d) {
    HeldSend& held = qp.requester.held.front();
    if (held.repeats++ < qp.attributes.retry_cnt) {
        held.due = true;
        return;
    }
    const HeldSend failed = qp.requester.held.pop_front();
    complete_send(qp, failed.entry, failed.number, Status::retry_exc, d);
    qp.state = QpState::error;
    qp.responder.answers.clear();
}

std::optional<Packet> next_repeat(Qp& qp, Decision& d) {
    HeldSend* const held = oldest_waiting(qp);
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
