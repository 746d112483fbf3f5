// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/rc/card_state.h"

#include <algorithm>

namespace rnicsim::rc {
namespace {

constexpr std::uint64_t kAt = 4096;         // all messages of a requester lie in one place, if they are not apart
constexpr std::uint64_t kArea = 1U << 16U;  // of each requester, and of the buffers of an SRQ

// Far from the times of ACKs and RNR NAKs, 67 and 0.64 ms here, however often they expire in a run.
constexpr Time repeat_time(RepeatTimer timer) {
    switch (timer) {
        case RepeatTimer::shorter: return kMicrosecond;
        case RepeatTimer::longer: return kSecond * 1000;
        case RepeatTimer::off: break;
    }
    return {};
}

/// Rights of the region: all, but where it is the mark of WRITE_PERSISTs only if there are some.
Access access_of(const Workload& w) {
    const Access access = Access{15} | kFlushVisible | kFlushPersistent;
    return asks_for(w, Verb::write_persist) ? access | kWritePersist : access;
}

}  // namespace

std::uint64_t address_of(const Workload& w, std::uint32_t requester, std::uint32_t message) {
    return kAt + requester * kArea + (w.apart ? message * w.packets * kExploredMtu : 0U);
}

CardState::CardState(const Workload& w, std::uint8_t n, std::uint8_t qps)
    : workload(&w),
      rc([&] {
          RcConfig config;
          config.window = w.window;
          config.retransmission = w.retransmission;
          config.persist.timer = repeat_time(w.persist.repeat);
          config.persist.read_bypass = w.persist.read_bypass;
          return config;
      }()),
      number(n) {
    rq = rc.create_receive_queue(qps > 1);
    QpInit init;
    init.receive_queue = rq;
    if (asks_for(w, Verb::write_persist)) init.persist = w.persist.mode;
    if (persists(w)) durable.emplace(w.persist);
    ends.resize(qps);
    for (EndState& end : ends) end.qp = *rc.create_qp({}, init);
    key = *rc.regions().add(Pd{}, {0, 1U << 20U}, access_of(w));
}

void CardState::connect(std::uint8_t end, std::uint8_t peer, Qpn peers) {
    QpAttributes a;
    a.access = kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushVisible | kFlushPersistent;
    a.path_mtu = kExploredMtu;
    a.peer = Peer{peer};
    a.dest_qpn = peers;
    a.sq_psn = a.rq_psn = kFirstExplored;
    a.retry_cnt = static_cast<std::uint8_t>(workload->retry);
    a.rnr_retry = static_cast<std::uint8_t>(workload->rnr);
    a.max_rd_atomic = a.max_dest_rd_atomic = static_cast<std::uint8_t>(workload->rd_atomic);
    rc.modify_qp({}, ends[end].qp, QpState::init, attribute::kAccess, a, *this);
    rc.modify_qp({}, ends[end].qp, QpState::rtr, attribute::kForRtr, a, *this);
    rc.modify_qp({}, ends[end].qp, QpState::rts, attribute::kForRts, a, *this);
}

/// Of a SEND into an SRQ, whose buffers are apart: in the one that it has taken. A WRITE with immediate takes one as
/// well, but its payload goes elsewhere.
bool CardState::lies_right(const Placement& placement) const {
    const std::uint8_t end = number_of(placement.qp);
    if (!placement.of_request || !receives().shared()) return true;
    const std::vector<Verb>& messages = payload.requester == 0 ? workload->messages : workload->others;
    if (messages[payload.message] != Verb::send) return true;
    const auto& held = state(end).responder.receive;
    return held && held->sges[0].address + payload.packet * std::uint64_t{kExploredMtu} == placement.to[0].address;
}

/// Do packets of these messages of a requester go to the same bytes? A SEND's place is the receiver's alone.
bool CardState::one_place(const Payload& a, const Payload& b) const {
    if (workload->apart || a.packet != b.packet) return false;
    const std::vector<Verb>& messages = a.requester == 0 ? workload->messages : workload->others;
    const auto sends = [&](const Payload& of) {
        const Verb verb = messages[of.message];
        return takes_receive(verb) && !is_write(verb);
    };
    return sends(a) == sends(b);
}

void CardState::place(const Placement& placement) {
    const bool selective = workload->retransmission->selective();
    const std::uint8_t end = number_of(placement.qp);
    std::vector<Payload>& placed = (placement.of_request ? ends[end].requests : ends[end].answers).placed;
    // go_back_0: what has come of the message under way is given up, and it begins anew.
    if (workload->retransmission->repeats_message() && payload.packet == 0) {
        std::erase_if(placed, [&](const Payload before) { return before.message == payload.message; });
    }
    for (const Payload before : placed) {
        if (before < payload) continue;
        if (before == payload) broken = "V-I3: placed twice";
        if (!selective) broken = "V-I3: placed out of order";
        if (one_place(before, payload)) broken = "V-I3: something old on something newer";
    }
    if (gone) broken = "V-I1: placed in a region that is gone";
    if (!lies_right(placement)) broken = "V-I2: placed in the buffer of another receive WQE";
    placed.push_back(payload);
    writes.push_back({end, placement.of_request, false, false, false, payload, {}});
}

void CardState::atomic(const AtomicJob& job) {
    if (gone) broken = "V-I1: an atomic in a region that is gone";
    ++ends[number_of(job.qp)].atomics;
    atomics.push_back(job);
}

void CardState::complete(const Completion& c) {
    writes.push_back({number_of(c.qp), false, true, false, false, payload, c});
}

void CardState::event(const AsyncEvent& e) {
    const std::uint8_t end = number_of(e.qp);
    if (e.kind == EventKind::last_wqe_reached) {
        if (std::exchange(ends[end].told_last_wqe, true) || !receives().shared() || state(end).state != QpState::error)
            broken = "V-Q2: the last WQE is reached a second time, or too early";
        return;
    }
    if (e.kind != EventKind::qp_access_error || !gone) broken = "V-I10: an event without a cause";
}

void CardState::noted(Qpn qp, RcCount what) {
    if (what != RcCount::rnr_naks_sent) return;
    tells_rnr = true;
    if (workload->rnr != kEndlessRnrRetry) ++ends[number_of(qp)].rnr_naks.at(payload.message);
}

bool CardState::has_turn(Lane lane) const {
    return std::ranges::any_of(
        ends, [&](const EndState& end) { return rc.qp(end.qp)->listed.at(static_cast<std::size_t>(lane)); });
}

CardState::Write CardState::write_one() {
    const Write w = writes.front();
    writes.erase(writes.begin());
    EndState& end = ends[w.end];
    if (w.is_cqe) {
        ++(w.cqe.receive ? end.receive_cqes : end.cqes);
    } else {
        std::vector<Payload>& memory = (w.of_request ? end.requests : end.answers).in_memory;
        // What a message that begins anew has brought before is written over; one state, however often it does.
        if (workload->retransmission->repeats_message() && w.payload.packet == 0 && !durable)
            std::erase_if(memory, [&](const Payload before) { return before.message == w.payload.message; });
        memory.push_back(w.payload);
        if (w.of_request) rc.on_placed(now, end.qp);
    }
    while (!writes.empty() && writes.front().ends_job) {
        writes.erase(writes.begin());
        durable->posted(posted());
    }
    return w;
}

PostedCounts CardState::posted() const {
    PostedCounts counts{};
    for (std::size_t i = 0; i < ends.size(); ++i)
        counts.at(i) = static_cast<std::uint8_t>(ends[i].requests.in_memory.size());
    return counts;
}

/// A card that does not wait for the writes (n10) takes them for posted.
void CardState::persist(const PersistJob& job) {
    durable->accept(job);
    if (writes.empty() || workload->persist.read_bypass) return durable->posted(posted());
    writes.push_back({number_of(job.qp), false, false, false, true, payload, {}});
}

void CardState::flush_read_done(std::uint32_t tag) {
    durable->completed(tag, posted());
    tell_durable();
}

void CardState::tell_durable() {
    while (const auto pack = durable->next_pack()) rc.on_persisted(now, pack->qp, pack->psn, *this);
}

bool CardState::lasts(std::uint8_t end, const Payload& of) const {
    const std::vector<Payload>& memory = ends[end].requests.in_memory;
    const auto last = memory.begin() + durable->lasting(end);
    return std::find(memory.begin(), last, of) != last;
}

void CardState::atomic_done() {
    const AtomicJob job = atomics.front();
    atomics.erase(atomics.begin());
    rc.on_atomic_done(now, job.qp, job.psn, ++atomics_done);
}

}  // namespace rnicsim::rc
