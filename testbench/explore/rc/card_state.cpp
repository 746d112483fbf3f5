#include "testbench/explore/rc/card_state.h"

#include <algorithm>

namespace rnicsim::rc {
namespace {

constexpr std::uint64_t kAt = 4096;         // all messages of a requester lie in one place, if they are not apart
constexpr std::uint64_t kArea = 1U << 16U;  // of each requester, and of the buffers of an SRQ

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
          return config;
      }()),
      number(n) {
    rq = rc.create_receive_queue(qps > 1);
    QpInit init;
    init.receive_queue = rq;
    ends.resize(qps);
    for (EndState& end : ends) end.qp = *rc.create_qp({}, init);
    key = *rc.regions().add(Pd{}, {0, 1U << 20U}, {15});
}

void CardState::connect(std::uint8_t end, std::uint8_t peer, Qpn peers) {
    QpAttributes a;
    a.access = kRemoteWrite | kRemoteRead | kRemoteAtomic;
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

void CardState::place(const Placement& placement) {
    const bool selective = workload->retransmission->selective();
    const std::uint8_t end = number_of(placement.qp);
    std::vector<Payload>& placed = (placement.of_request ? ends[end].requests : ends[end].answers).placed;
    for (const Payload before : placed) {
        if (before < payload) continue;
        if (before == payload) broken = "V-I3: placed twice";
        if (!selective) broken = "V-I3: placed out of order";
        if (!workload->apart && before.packet == payload.packet) broken = "V-I3: something old on something newer";
    }
    if (gone) broken = "V-I1: placed in a region that is gone";
    if (!lies_right(placement)) broken = "V-I2: placed in the buffer of another receive WQE";
    placed.push_back(payload);
    writes.push_back({end, placement.of_request, false, false, payload, {}});
}

void CardState::atomic(const AtomicJob& job) {
    if (gone) broken = "V-I1: an atomic in a region that is gone";
    ++ends[number_of(job.qp)].atomics;
    atomics.push_back(job);
}

void CardState::complete(const Completion& c) { writes.push_back({number_of(c.qp), false, true, false, payload, c}); }

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
        return w;
    }
    (w.of_request ? end.requests : end.answers).in_memory.push_back(w.payload);
    if (w.of_request) rc.on_placed(now, end.qp);
    return w;
}

void CardState::persist(const PersistJob& /*job*/) { broken = "V-I10: a FLUSH"; }

void CardState::atomic_done() {
    const AtomicJob job = atomics.front();
    atomics.erase(atomics.begin());
    rc.on_atomic_done(now, job.qp, job.psn, ++atomics_done);
}

}  // namespace rnicsim::rc
