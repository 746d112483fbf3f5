// SPDX-License-Identifier: Apache-2.0
// Queue pairs of the stand-in: their states, and what is posted to them.
#include "testbench/tests/programs/fake_state.h"

#include <algorithm>
#include <cerrno>

namespace rnicsim::programs::fake {
namespace {

template <class Objects>
bool has(const Objects& objects, Handle handle, pid_t process) {
    const auto found = objects.find(handle);
    return found != objects.end() && found->second.owner == process;
}

void flush(State& state, Qp& qp) {
    for (; !qp.receives.empty(); qp.receives.pop_front()) {
        complete(
            state, qp.made.receive_cq,
            {.qpn = qp.attributes.qpn, .index = qp.receives.front().index, .receive = 1, .status = IBV_WC_WR_FLUSH_ERR},
            false);
    }
}

void take_attributes(const QpChange& from, QpChange& to) {
    const auto take = [&](std::uint32_t what, auto QpChange::*field) {
        if ((from.what & what) != 0) to.*field = from.*field;
    };
    take(IBV_QP_ACCESS_FLAGS, &QpChange::access);
    take(IBV_QP_PORT, &QpChange::port);
    take(IBV_QP_QKEY, &QpChange::qkey);
    take(IBV_QP_PATH_MTU, &QpChange::path_mtu);
    take(IBV_QP_TIMEOUT, &QpChange::timeout);
    take(IBV_QP_RETRY_CNT, &QpChange::retry_cnt);
    take(IBV_QP_RNR_RETRY, &QpChange::rnr_retry);
    take(IBV_QP_RQ_PSN, &QpChange::rq_psn);
    take(IBV_QP_SQ_PSN, &QpChange::sq_psn);
    take(IBV_QP_MAX_QP_RD_ATOMIC, &QpChange::max_rd_atomic);
    take(IBV_QP_MAX_DEST_RD_ATOMIC, &QpChange::max_dest_rd_atomic);
    take(IBV_QP_MIN_RNR_TIMER, &QpChange::min_rnr_timer);
    take(IBV_QP_DEST_QPN, &QpChange::dest_qpn);
    if ((from.what & IBV_QP_AV) == 0) return;
    std::copy_n(from.peer_gid, sizeof to.peer_gid, to.peer_gid);
    to.has_grh = from.has_grh;
    to.sgid_index = from.sgid_index;
    to.hop_limit = from.hop_limit;
    to.traffic_class = from.traffic_class;
    to.sl = from.sl;
    to.flow_label = from.flow_label;
}

void take_receives(Reader& from, std::deque<ReceiveWr>& to, const Posts& posts) {
    for (std::uint32_t i = 0; i < posts.count && from.good; ++i) {
        ReceiveWr wr{.index = posts.first + i};
        const auto receive = from.take<Receive>();
        for (std::uint32_t s = 0; s < receive.sges && from.good; ++s) wr.sges.push_back(from.take<Sge>());
        to.push_back(wr);
    }
}

void take_sends(Reader& from, std::deque<SendWr>& to, const Posts& posts) {
    for (std::uint32_t i = 0; i < posts.count && from.good; ++i) {
        SendWr wr{.index = posts.first + i, .send = from.take<Send>()};
        for (std::uint32_t s = 0; s < wr.send.sges && from.good; ++s) wr.sges.push_back(from.take<Sge>());
        wr.inlined = from.take((wr.send.inline_bytes + 7) / 8 * 8);
        wr.inlined.resize(wr.send.inline_bytes);
        to.push_back(wr);
    }
}

/// Posts, and those after them that came too early, in their order.
template <class Take>
void take_in_order(Arrivals& arrivals, Reader from, Take take) {
    const Reader whole = from;
    const auto first = from.take<Posts>();
    arrivals.early[first.first] = {whole.at, whole.end};
    for (auto next = arrivals.early.find(arrivals.next); next != arrivals.early.end();
         next = arrivals.early.find(arrivals.next)) {
        Reader reader{next->second.data(), next->second.data() + next->second.size()};
        const auto posts = reader.take<Posts>();
        take(reader, posts);
        arrivals.next += posts.count;
        arrivals.early.erase(next);
    }
}

}  // namespace

void drop_completions(State& state, const Qp& qp, Bytes& to) {
    std::vector<std::uint32_t> lost;
    for (auto& [handle, cq] : state.cqs) {
        std::erase_if(cq.completions, [&](const Completion& completion) {
            const bool its = completion.qpn == qp.attributes.qpn;
            if (its && completion.from_srq != 0) lost.push_back(completion.index);
            return its;
        });
    }
    append(to, Dropped{.count = static_cast<std::uint32_t>(lost.size())});
    for (const std::uint32_t index : lost) append(to, index);
}

/// Only the order of states is checked; a QP to itself, or to one of the same program, is allowed.
int modify_qp(State& state, pid_t process, const QpChange& wanted, Bytes& to) {
    if (!has(state.qps, wanted.qpn, process)) return EINVAL;
    Qp& qp = state.qps[wanted.qpn];
    QpChange& now = qp.attributes;
    const bool to_any = wanted.state == IBV_QPS_RESET || wanted.state == IBV_QPS_ERR || wanted.state == now.state;
    if ((wanted.what & IBV_QP_STATE) != 0) {
        if (!to_any && wanted.state != now.state + 1) return EINVAL;
        now.state = wanted.state;
    }
    take_attributes(wanted, now);
    if (now.state == IBV_QPS_ERR) flush(state, qp);
    if (now.state != IBV_QPS_RESET) {
        append(to, Dropped{});
        return 0;
    }
    drop_completions(state, qp, to);
    qp.sends.clear();
    qp.receives.clear();
    qp.posted_sends = qp.posted_receives = {};
    return 0;
}

void hear(State& state, pid_t process, Op op, Reader in) {
    if (op == Op::arm) {
        const auto wanted = in.take<Arm>();
        if (!has(state.cqs, wanted.cq, process)) return;
        state.cqs[wanted.cq].armed = true;
        state.cqs[wanted.cq].solicited_only = wanted.solicited_only != 0;
        return;
    }
    const auto posts = Reader(in).take<Posts>();
    if (op == Op::post_srq_receive && has(state.srqs, posts.queue, process)) {
        Srq& srq = state.srqs[posts.queue];
        take_in_order(srq.posted, in, [&](Reader& from, const Posts& of) { take_receives(from, srq.receives, of); });
    }
    if (op == Op::post_receive && has(state.qps, posts.queue, process)) {
        Qp& qp = state.qps[posts.queue];
        take_in_order(qp.posted_receives, in,
                      [&](Reader& from, const Posts& of) { take_receives(from, qp.receives, of); });
        if (qp.attributes.state == IBV_QPS_ERR) flush(state, qp);
    }
    if (op == Op::post_send && has(state.qps, posts.queue, process)) {
        Qp& qp = state.qps[posts.queue];
        take_in_order(qp.posted_sends, in, [&](Reader& from, const Posts& of) { take_sends(from, qp.sends, of); });
    }
    run_sends(state);
}

}  // namespace rnicsim::programs::fake
