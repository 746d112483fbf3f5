// SPDX-License-Identifier: Apache-2.0
// QPs of programs, and what they leave behind when they end.
#include "testbench/programs/server/host_service.h"
#include "testbench/programs/server/values.h"

#include <infiniband/verbs.h>

#include <algorithm>
#include <bit>

namespace rnicsim::programs {
namespace {

/// Room for the largest WQE that its program may post.
std::uint32_t stride_for(const QpRequest& r) {
    constexpr std::uint32_t kLeast = 4 * rc::kWqeBlock;  // with as many SGEs as the card knows
    return std::max(kLeast, rc::stride_with_inline(r.inline_bytes));
}

int error_of(rc::ModifyError error) { return error == rc::ModifyError::none ? 0 : EINVAL; }

}  // namespace

Reply HostService::create_qp(Program& program, const QpRequest& r) {
    const auto service = service_of(r.type);
    if (!service) throw Refusal{EOPNOTSUPP};
    ProtectionDomain* const pd = pds_.find(r.pd, program);
    CompletionQueue* const sends = cqs_.find(r.send_cq, program);
    CompletionQueue* const receives = cqs_.find(r.receive_cq, program);
    SharedQueue* const srq = srqs_.find(r.srq, program);
    if (pd == nullptr || sends == nullptr || receives == nullptr || (r.srq != 0 && srq == nullptr))
        throw Refusal{EINVAL};
    if (r.send_wqes > rc::kMostSends || r.send_sges > kMostSendSges || r.inline_bytes > rc::kMostInline)
        throw Refusal{EINVAL};
    if (srq == nullptr && (r.receive_wqes > rc::kMostSends || r.receive_sges > kMostReceiveSges)) throw Refusal{EINVAL};
    QueuePair qp;
    qp.owner = &program;
    qp.as = r;
    rc::QpInit init;
    init.service = *service;
    init.pd = rc::Pd{r.pd};
    init.send_cq = sends->number;
    init.receive_cq = receives->number;
    if (!end_.rnic.has_room_for_qp()) throw Refusal{ENOMEM};
    qp.sends.entries = ring_of(r.send_wqes);
    qp.sends.stride = stride_for(r);
    const std::uint64_t send_bytes = std::uint64_t{qp.sends.entries} * qp.sends.stride;
    qp.sends.address = take_ring(send_bytes);
    if (srq == nullptr) {
        try {
            qp.own_receives = take_receive_ring(r.receive_wqes);
        } catch (const Refusal&) {
            rings_.give_back(qp.sends.address, send_bytes);
            throw;
        }
        qp.receives = end_.host.queues.create_receive_queue(*qp.own_receives, false);
        const auto of = static_cast<std::size_t>(qp.receives);
        if (of >= srq_of_.size()) srq_of_.resize(of + 1);
        srq_of_[of] = 0;
    } else {
        qp.receives = srq->number;
    }
    init.receive_queue = qp.receives;
    const rc::Qpn number = end_.host.queues.create_qp(init, qp.sends);
    ++pd->users, ++sends->users, ++receives->users;
    if (srq != nullptr) ++srq->users;
    qp.made = {number.n,
               qp.sends.entries,
               srq == nullptr ? ring_of(r.receive_wqes) : 0,
               std::max(r.send_sges, 1U),
               srq == nullptr ? kMostReceiveSges : 0,
               std::max(r.inline_bytes, 0U)};
    const QpMade made = qp.made;
    qps_.add_as(number.n, qp);
    return Reply(made);
}

/// Keeps what is asked for, for query_qp().
std::optional<Ended> HostService::modify_qp(Program& program, const QpChange& asked) {
    QueuePair* const qp = qps_.find(asked.qpn, program);
    if (qp == nullptr) throw Refusal{EINVAL};
    const QpChange change = masked(asked);
    const auto beyond = [&](unsigned bit, std::uint8_t value) {
        return (change.what & bit) != 0 && value > config_.attributes.max_rd_atomic;
    };
    if (beyond(IBV_QP_MAX_QP_RD_ATOMIC, change.max_rd_atomic) ||
        beyond(IBV_QP_MAX_DEST_RD_ATOMIC, change.max_dest_rd_atomic))
        throw Refusal{EINVAL};
    qp->resetting = false;
    const rc::Qpn number{change.qpn};
    const rc::QpState now = end_.rnic.transport().qp(number)->state;
    const bool has_state = (change.what & IBV_QP_STATE) != 0;
    const auto to = has_state ? state_of(change.state) : std::optional(now);
    auto attributes = attributes_of(change);
    if (!to || !attributes) throw Refusal{EINVAL};
    const rc::QpAttributes& wanted = attributes->values;
    constexpr std::uint32_t kMostHeaders = 84;  // IPv6, UDP, BTH, RETH, immediate and ICRC
    if (attributes->mask.includes(rc::attribute::kPeer) && wanted.path.is_ipv6() &&
        wanted.path_mtu + kMostHeaders > config_.card.gmac.mtu)
        throw Refusal{EINVAL};
    const Ended was = ended(*qp);
    // Access is no attribute of datagrams, which carry no WRITEs.
    if (qp->as.type == IBV_QPT_UD) attributes->mask.bits &= static_cast<std::uint16_t>(~rc::attribute::kAccess.bits);
    if (const int error = error_of(end_.rnic.modify_qp(number, *to, attributes->mask, attributes->values)); error != 0)
        throw Refusal{error};
    if (around_.observer != nullptr) around_.observer->modified(program, *end_.rnic.transport().qp(number), now);
    if (*to == rc::QpState::reset) {
        end_.host.queues.restart(number, qp->own_receives ? std::optional(qp->receives) : std::nullopt);
        qp->posted_sends.clear();
        qp->posted_receives.clear();
        around_.judge.gone(around_.host, number);
        return was;
    }
    around_.judge.modified(around_.host, number);
    if (*to == rc::QpState::rtr) program.met = true;
    QpChange& known = qp->attributes;
    const auto keep = [&](unsigned bit, auto QpChange::*field) {
        if ((change.what & bit) != 0) known.*field = change.*field;
    };
    keep(IBV_QP_PATH_MTU, &QpChange::path_mtu);
    keep(IBV_QP_QKEY, &QpChange::qkey);
    keep(IBV_QP_RQ_PSN, &QpChange::rq_psn);
    keep(IBV_QP_SQ_PSN, &QpChange::sq_psn);
    keep(IBV_QP_DEST_QPN, &QpChange::dest_qpn);
    keep(IBV_QP_ACCESS_FLAGS, &QpChange::access);
    keep(IBV_QP_MAX_QP_RD_ATOMIC, &QpChange::max_rd_atomic);
    keep(IBV_QP_MAX_DEST_RD_ATOMIC, &QpChange::max_dest_rd_atomic);
    keep(IBV_QP_MIN_RNR_TIMER, &QpChange::min_rnr_timer);
    keep(IBV_QP_TIMEOUT, &QpChange::timeout);
    keep(IBV_QP_RETRY_CNT, &QpChange::retry_cnt);
    keep(IBV_QP_RNR_RETRY, &QpChange::rnr_retry);
    keep(IBV_QP_PORT, &QpChange::port);
    keep(IBV_QP_PKEY_INDEX, &QpChange::pkey_index);
    if ((change.what & IBV_QP_AV) != 0) {
        std::ranges::copy(change.peer_gid, known.peer_gid);
        known.has_grh = change.has_grh;
        known.sgid_index = change.sgid_index;
        known.hop_limit = change.hop_limit;
        known.traffic_class = change.traffic_class;
        known.sl = change.sl;
        known.dlid = change.dlid;
        known.flow_label = change.flow_label;
    }
    return {};
}

QpChange HostService::query_qp(Program& program, Handle handle) {
    const QueuePair* const qp = qps_.find(handle, program);
    if (qp == nullptr) throw Refusal{EINVAL};
    QpChange out = qp->attributes;
    out.qpn = handle;
    out.state = out.current_state = number_of(end_.rnic.transport().qp(rc::Qpn{handle})->state);
    out.all_signaled = qp->as.all_signaled;
    out.send_wqes = qp->made.send_wqes;
    out.receive_wqes = qp->made.receive_wqes;
    out.send_sges = qp->made.send_sges;
    out.receive_sges = qp->made.receive_sges;
    out.inline_bytes = qp->made.inline_bytes;
    return out;
}

Ended HostService::ended(const QueuePair& qp) const {
    const rc::Qpn number{qp.made.qpn};
    Ended out{number, !qp.own_receives, {}};
    const auto& receive = end_.rnic.transport().qp(number)->responder.receive;
    if (receive) out.receives = receive->index;
    return out;
}

void HostService::end_qp(const QueuePair& qp) {
    const rc::Qpn number{qp.made.qpn};
    end_.rnic.destroy_qp(number);
    around_.judge.gone(around_.host, number);
    give_back(qp.sends.address, std::uint64_t{qp.sends.entries} * qp.sends.stride);
    if (!qp.own_receives) return;
    give_back(*qp.own_receives);
    give_back(qp.receives);
}

Reply HostService::take_away(const Ended& ended, const Program& program) {
    std::vector<std::uint32_t> indices;
    if (ended.shares && ended.receives) indices.push_back(*ended.receives);
    for (auto& [handle, cq] : cqs_.all()) {
        if (cq.owner != &program) continue;
        keep_entries(cq);
        std::erase_if(cq.kept, [&](const rc::Completion& c) {
            if (c.qp != ended.qp) return false;
            if (c.receive && ended.shares) indices.push_back(c.index);
            return true;
        });
    }
    Reply reply(Dropped{static_cast<std::uint32_t>(indices.size()), 0});
    for (const std::uint32_t index : indices) reply.add(index);
    return reply;
}

std::optional<Ended> HostService::destroy_qp(Program& program, Handle handle) {
    const QueuePair* const qp = qps_.find(handle, program);
    if (qp == nullptr) throw Refusal{EINVAL};
    const Ended was = ended(*qp);
    end_qp(*qp);
    --pds_.find(qp->as.pd, program)->users;
    --cqs_.find(qp->as.send_cq, program)->users;
    --cqs_.find(qp->as.receive_cq, program)->users;
    if (SharedQueue* const srq = srqs_.find(qp->as.srq, program)) --srq->users;
    qps_.remove(handle);
    return was;
}

}  // namespace rnicsim::programs
