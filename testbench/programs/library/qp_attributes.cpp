// SPDX-License-Identifier: Apache-2.0
// ibv_modify_qp and ibv_query_qp. Which attributes a transition needs and allows is the simulator's to say (VERBS.md
// 5).
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/library/refuse.h"

#include <cstring>

using namespace rnicsim::programs;

namespace {

constexpr int kKnown = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY | IBV_QP_ACCESS_FLAGS |
                       IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT |
                       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC |
                       IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_PATH_MIG_STATE |
                       IBV_QP_DEST_QPN;
constexpr int kRefused = IBV_QP_ALT_PATH | IBV_QP_CAP | IBV_QP_RATE_LIMIT;

int check(const Device& said, const ibv_qp_attr& attributes, int what) {
    static std::atomic<bool> said_change{false};
    if ((what & kRefused) != 0) return refuse("an alternate path, other sizes or a rate limit of a QP", said_change);
    if ((what & ~kKnown) != 0) return EINVAL;
    if ((what & IBV_QP_PORT) != 0 && !is_port(attributes.port_num)) return EINVAL;
    if ((what & IBV_QP_PKEY_INDEX) != 0 && attributes.pkey_index != 0) return EINVAL;
    if ((what & IBV_QP_AV) == 0) return 0;
    const ibv_ah_attr& path = attributes.ah_attr;
    const bool good = path.is_global != 0 && is_port(path.port_num) && has_gid(said, path.grh.sgid_index);
    return good ? 0 : EINVAL;  // RoCE has no LIDs
}

QpChange change_of(std::uint32_t qpn, const ibv_qp_attr& from, int what) {
    const ibv_global_route& route = from.ah_attr.grh;
    QpChange to{.qpn = qpn,
                .what = static_cast<std::uint32_t>(what),
                .state = static_cast<std::uint8_t>(from.qp_state),
                .current_state = static_cast<std::uint8_t>(from.cur_qp_state),
                .path_mtu = static_cast<std::uint8_t>(from.path_mtu),
                .path_mig_state = static_cast<std::uint8_t>(from.path_mig_state),
                .qkey = from.qkey,
                .rq_psn = from.rq_psn,
                .sq_psn = from.sq_psn,
                .dest_qpn = from.dest_qp_num,
                .access = from.qp_access_flags,
                .has_grh = from.ah_attr.is_global,
                .sgid_index = route.sgid_index,
                .hop_limit = route.hop_limit,
                .traffic_class = route.traffic_class,
                .sl = from.ah_attr.sl,
                .port = (what & IBV_QP_PORT) != 0 ? from.port_num : from.ah_attr.port_num,
                .pkey_index = from.pkey_index,
                .dlid = from.ah_attr.dlid,
                .flow_label = route.flow_label,
                .max_rd_atomic = from.max_rd_atomic,
                .max_dest_rd_atomic = from.max_dest_rd_atomic,
                .min_rnr_timer = from.min_rnr_timer,
                .timeout = from.timeout,
                .retry_cnt = from.retry_cnt,
                .rnr_retry = from.rnr_retry};
    std::memcpy(to.peer_gid, route.dgid.raw, sizeof to.peer_gid);
    return to;
}

ibv_qp_attr attributes_of(const QpChange& from, const ibv_qp_cap& cap) {
    ibv_qp_attr to{};
    to.qp_state = static_cast<ibv_qp_state>(from.state);
    to.cur_qp_state = static_cast<ibv_qp_state>(from.state);
    to.path_mtu = static_cast<ibv_mtu>(from.path_mtu);
    to.path_mig_state = static_cast<ibv_mig_state>(from.path_mig_state);
    to.qkey = from.qkey;
    to.rq_psn = from.rq_psn;
    to.sq_psn = from.sq_psn;
    to.dest_qp_num = from.dest_qpn;
    to.qp_access_flags = from.access;
    to.cap = cap;
    to.ah_attr.is_global = from.has_grh;
    to.ah_attr.sl = from.sl;
    to.ah_attr.dlid = from.dlid;
    to.ah_attr.port_num = to.port_num = from.port;
    std::memcpy(to.ah_attr.grh.dgid.raw, from.peer_gid, sizeof from.peer_gid);
    to.ah_attr.grh.flow_label = from.flow_label;
    to.ah_attr.grh.sgid_index = from.sgid_index;
    to.ah_attr.grh.hop_limit = from.hop_limit;
    to.ah_attr.grh.traffic_class = from.traffic_class;
    to.pkey_index = from.pkey_index;
    to.sq_draining = from.sq_draining;
    to.max_rd_atomic = from.max_rd_atomic;
    to.max_dest_rd_atomic = from.max_dest_rd_atomic;
    to.min_rnr_timer = from.min_rnr_timer;
    to.timeout = from.timeout;
    to.retry_cnt = from.retry_cnt;
    to.rnr_retry = from.rnr_retry;
    return to;
}

/// Takes the indices of a Dropped out of the QP's SRQ.
void drop(Qp& qp, const std::uint32_t* indices, std::uint32_t count) {
    if (qp.qp.qp_base.srq == nullptr) return;
    Srq& srq = of(qp.qp.qp_base.srq);
    const Lock here(srq.lock);
    std::uint64_t wr_id = 0;
    for (std::uint32_t i = 0; i < count; ++i) (void)srq.ids.take(indices[i], wr_id);
}

}  // namespace

int rnicsim::programs::change_and_drop(Qp& qp, Op op, const void* request, std::size_t bytes) {
    constexpr std::size_t kMost = (kMostMessage - sizeof(AnswerHeader) - sizeof(Dropped)) / sizeof(std::uint32_t);
    auto* const indices = static_cast<std::uint32_t*>(std::malloc(kMost * sizeof(std::uint32_t)));
    if (indices == nullptr) return ENOMEM;
    const iovec asked{const_cast<void*>(request), bytes};
    Dropped head;
    const iovec into[] = {{&head, sizeof head}, {indices, kMost * sizeof *indices}};
    std::size_t got = 0;
    int error = rnicsim_call_into(op, &asked, 1, into, 2, &got);
    if (error == 0 && (got < sizeof head || got != sizeof head + head.count * sizeof *indices)) error = EPROTO;
    if (error == 0) drop(qp, indices, head.count);
    std::free(indices);
    return error;
}

int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int what) {
    if (const int error = check(said_of(qp->context), *attributes, what); error != 0) return error;
    const QpChange request = change_of(qp->qp_num, *attributes, what);
    if (const int error = change_and_drop(of(qp), Op::modify_qp, &request, sizeof request); error != 0) return error;
    if ((what & IBV_QP_STATE) == 0) return 0;
    if (attributes->qp_state == IBV_QPS_RESET) {
        of(qp).sends.clear();
        of(qp).receives.clear();
    }
    qp->state = attributes->qp_state;
    return 0;
}

int ibv_query_qp(ibv_qp* qp, ibv_qp_attr* to, int, ibv_qp_init_attr* init) {
    QpChange answer;
    if (const int error = ask(Op::query_qp, qp->handle, answer); error != 0) return error;
    *to = attributes_of(answer, of(qp).cap);
    qp->state = to->qp_state;
    *init = {.qp_context = qp->qp_context,
             .send_cq = qp->send_cq,
             .recv_cq = qp->recv_cq,
             .srq = qp->srq,
             .cap = of(qp).cap,
             .qp_type = qp->qp_type,
             .sq_sig_all = of(qp).all_signaled ? 1 : 0};
    return 0;
}
