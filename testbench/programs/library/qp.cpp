// SPDX-License-Identifier: Apache-2.0
// Queue pairs: making and destroying them.
#include "testbench/programs/library/ask.h"
#include "testbench/programs/library/events.h"
#include "testbench/programs/library/operations.h"
#include "testbench/programs/library/refuse.h"

#include <algorithm>
#include <cstring>

using namespace rnicsim::programs;

namespace {

// So that each work request fits a message on the stack: post.cpp.
constexpr std::uint32_t kMostInline = 4096, kMostSges = 256;

constexpr std::uint64_t kSendOps = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                                   IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
                                   IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
                                   IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_ATOMIC_WRITE | kQpExWithFlush;
constexpr std::uint64_t kSendOpsOfUc =
    IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
constexpr std::uint64_t kSendOpsOfUd = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

std::uint64_t send_ops_of(ibv_qp_type type) {
    if (type == IBV_QPT_UD) return kSendOpsOfUd;
    return type == IBV_QPT_UC ? kSendOpsOfUc : kSendOps;
}

int check(const Device& said, const ibv_qp_init_attr_ex& wanted) {
    static std::atomic<bool> said_type{false};
    const ibv_qp_cap& cap = wanted.cap;
    const bool known = wanted.qp_type == IBV_QPT_RC || wanted.qp_type == IBV_QPT_UC || wanted.qp_type == IBV_QPT_UD;
    if (!known) return refuse("a QP that is not RC, UC or UD", said_type);
    if (wanted.pd == nullptr || wanted.send_cq == nullptr || wanted.recv_cq == nullptr) return EINVAL;
    if (cap.max_send_wr > said.max_qp_wr || cap.max_send_sge > said.max_sge) return EINVAL;
    const bool receives = wanted.srq == nullptr;  // else those of the SRQ count (ibv_create_qp(3))
    if (receives && (cap.max_recv_wr > said.max_qp_wr || cap.max_recv_sge > said.max_sge)) return EINVAL;
    return cap.max_inline_data <= said.max_inline ? 0 : EINVAL;
}

int check_extensions(const ibv_qp_init_attr_ex& wanted) {
    static std::atomic<bool> said_flags{false}, said_ops{false};
    constexpr std::uint32_t kKnown =
        IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    // There is no multicast that could come back to its sender.
    const std::uint32_t without = wanted.qp_type == IBV_QPT_UD ? IBV_QP_CREATE_BLOCK_SELF_MCAST_LB : 0;
    const bool has_flags =
        (wanted.comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) != 0 && (wanted.create_flags & ~without) != 0;
    const bool has_ops = (wanted.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0;
    if ((wanted.comp_mask & ~kKnown) != 0 || has_flags) return refuse("a QP with such attributes", said_flags);
    if ((wanted.comp_mask & IBV_QP_INIT_ATTR_PD) == 0) return EINVAL;
    if (!has_ops || (wanted.send_ops_flags & ~send_ops_of(wanted.qp_type)) == 0) return 0;
    return refuse("a QP with such send operations", said_ops);
}

QpRequest request_of(const ibv_qp_init_attr_ex& wanted, const Qp& qp) {
    return {.pd = wanted.pd->handle,
            .send_cq = wanted.send_cq->handle,
            .receive_cq = wanted.recv_cq->handle,
            .srq = wanted.srq == nullptr ? 0 : wanted.srq->handle,
            .events = of(wanted.pd->context).events,
            .type = static_cast<std::uint8_t>(wanted.qp_type),
            .all_signaled = wanted.sq_sig_all != 0 ? std::uint8_t{1} : std::uint8_t{0},
            .send_wqes = wanted.cap.max_send_wr,
            .receive_wqes = wanted.srq == nullptr ? wanted.cap.max_recv_wr : 0,
            .send_sges = wanted.cap.max_send_sge,
            .receive_sges = wanted.srq == nullptr ? wanted.cap.max_recv_sge : 0,
            .inline_bytes = wanted.cap.max_inline_data,
            .cookie = qp.cookie};
}

void fill(Qp& qp, const ibv_qp_init_attr_ex& wanted, const QpMade& made) {
    ibv_qp& base = qp.qp.qp_base;
    base.context = wanted.pd->context;
    base.qp_context = wanted.qp_context;
    base.pd = wanted.pd;
    base.send_cq = wanted.send_cq;
    base.recv_cq = wanted.recv_cq;
    base.srq = wanted.srq;
    base.handle = base.qp_num = made.qpn;
    base.state = IBV_QPS_RESET;
    base.qp_type = wanted.qp_type;
    init_waiting(base);
    qp.all_signaled = wanted.sq_sig_all != 0;
    qp.cap = {.max_send_wr = made.send_wqes,
              .max_recv_wr = made.receive_wqes,
              .max_send_sge = std::min(made.send_sges, kMostSges),
              .max_recv_sge = std::min(made.receive_sges, kMostSges),
              .max_inline_data = std::min(made.inline_bytes, kMostInline)};
}

/// What the library itself keeps of a QP that the simulator has. False: there is no memory.
bool keep(Context& context, Qp& qp) {
    if (!qp.sends.make(qp.cap.max_send_wr) || !qp.receives.make(qp.cap.max_recv_wr)) return false;
    if (qp.new_api && !set_new_post(qp)) return false;
    const Lock here(context.lock);
    return context.qps.put(qp.qp.qp_base.qp_num, &qp);
}

void forget(Context& context, const Qp& qp) {
    const Lock here(context.lock);
    context.event_qps.remove(qp.cookie);
    if (context.qps.find(qp.qp.qp_base.qp_num) == &qp) context.qps.remove(qp.qp.qp_base.qp_num);
}

Qp* create(ibv_context* handle, const ibv_qp_init_attr_ex& wanted) {
    if (const int error = check(said_of(handle), wanted); error != 0) return fail(error);
    auto made = owned<Qp>();
    if (made == nullptr) return fail(ENOMEM);
    Context& context = of(handle);
    {
        const Lock here(context.lock);
        made->cookie = context.event_qps.number(made.get());
    }
    if (made->cookie == 0) return fail(ENOMEM);
    made->new_api = (wanted.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0;
    QpMade answer;
    int error = ask(Op::create_qp, request_of(wanted, *made), answer);
    if (error == 0) {
        fill(*made, wanted, answer);
        if (!keep(context, *made)) error = ENOMEM;
        if (error != 0) change_and_drop(*made, Op::destroy_qp, &answer.qpn, sizeof answer.qpn);
    }
    if (error == 0) return made.release();
    forget(context, *made);
    free_new_post(*made);
    return fail(error);
}

}  // namespace

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* qp) { return of(qp).new_api ? &of(qp).qp : nullptr; }

ibv_qp* rnicsim::programs::create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* wanted) {
    if (const int error = check_extensions(*wanted); error != 0) return fail(error);
    Qp* const made = create(context, *wanted);
    if (made == nullptr) return nullptr;
    wanted->cap = made->cap;
    return &made->qp.qp_base;
}

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* wanted) {
    ibv_qp_init_attr_ex all{};
    std::memcpy(&all, wanted, sizeof *wanted);  // it begins with the same fields
    all.comp_mask = IBV_QP_INIT_ATTR_PD;
    all.pd = pd;
    Qp* const made = create(pd->context, all);
    if (made == nullptr) return nullptr;
    wanted->cap = made->cap;
    return &made->qp.qp_base;
}

int ibv_destroy_qp(ibv_qp* qp) {
    const Handle handle = qp->handle;
    if (const int error = change_and_drop(of(qp), Op::destroy_qp, &handle, sizeof handle); error != 0) return error;
    const Owned<Qp> last(&of(qp));
    forget(of(qp->context), *last);
    await_acknowledged(*last);
    free_new_post(*last);
    return 0;
}

/// Cards do not say that the last byte is the last to come; this one does it, but programs may not rely on it.
int ibv_query_qp_data_in_order(ibv_qp*, ibv_wr_opcode, std::uint32_t) { return 0; }

/// Enhanced connection establishment is of other cards. librdmacm asks each, so this is not worth a word.
int ibv_query_ece(ibv_qp*, ibv_ece* to) {
    *to = {};
    return EOPNOTSUPP;
}
int ibv_set_ece(ibv_qp*, ibv_ece*) { return EOPNOTSUPP; }
