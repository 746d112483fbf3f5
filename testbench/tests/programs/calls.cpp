// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/programs/calls.h"

#include <algorithm>

namespace calls {

Opened::Opened() {
    int count = 0;
    ibv_device** const list = ibv_get_device_list(&count);
    CHECK(list != nullptr && count == 1 && list[1] == nullptr);
    context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    CHECK(context != nullptr);
    pd = ibv_alloc_pd(context);
    cq = ibv_create_cq(context, 4096, this, nullptr, 0);
    memory = static_cast<char*>(std::aligned_alloc(4096, kBytes));
    std::memset(memory, 0, kBytes);
    CHECK(pd != nullptr && cq != nullptr);
    mr = ibv_reg_mr(pd, memory, kBytes, kAll);
    CHECK(mr != nullptr);
}

Opened::~Opened() {
    CHECK(ibv_dereg_mr(mr) == 0);
    CHECK(ibv_destroy_cq(cq) == 0);
    CHECK(ibv_dealloc_pd(pd) == 0);
    CHECK(ibv_close_device(context) == 0);
    std::free(memory);
}

ibv_qp_init_attr init_of(const Opened& card, ibv_qp_type type, ibv_srq* srq) {
    ibv_device_attr most{};
    CHECK(ibv_query_device(card.context, &most) == 0);
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = card.cq;
    init.srq = srq;
    init.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 16, .max_recv_sge = 4, .max_inline_data = 100};
    init.cap.max_send_sge = std::min(init.cap.max_send_sge, static_cast<std::uint32_t>(most.max_sge));
    init.qp_type = type;
    return init;
}

void connect(ibv_qp* qp, std::uint32_t peer) {
    const bool is_rc = qp->qp_type == IBV_QPT_RC, is_ud = qp->qp_type == IBV_QPT_UD;
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = 1;
    to.qkey = 0x11;
    to.qp_access_flags = kAll;
    const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
    CHECK(ibv_modify_qp(qp, &to, init | (is_ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)) == 0);
    to = {};
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = IBV_MTU_1024;
    to.dest_qp_num = peer;
    to.ah_attr.is_global = 1;
    to.ah_attr.port_num = 1;
    CHECK(ibv_query_gid(qp->context, 1, 0, &to.ah_attr.grh.dgid) == 0);
    const int rtr = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    const int rtr_of_rc = rtr | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE | (is_rc ? rtr_of_rc : is_ud ? 0 : rtr)) == 0);
    to = {};
    to.qp_state = IBV_QPS_RTS;
    to.timeout = 14;
    to.retry_cnt = to.rnr_retry = 7;
    const int rts = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_SQ_PSN | (is_rc ? rts : 0)) == 0);
}

void reset(ibv_qp* qp) {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_RESET;
    CHECK(ibv_modify_qp(qp, &to, IBV_QP_STATE) == 0);
}

std::vector<ibv_wc> poll(ibv_cq* cq, std::size_t count) {
    std::vector<ibv_wc> all(count);
    std::size_t got = 0;
    while (got < count) {
        const int more = ibv_poll_cq(cq, static_cast<int>(count - got), all.data() + got);
        CHECK(more >= 0);
        got += static_cast<std::size_t>(more);
    }
    return all;
}

Pair::Pair(ibv_srq* (*srq_of)(Opened&)) {
    if (srq_of != nullptr) srq = srq_of(*this);
    ibv_qp_init_attr init = init_of(*this, IBV_QPT_RC, srq);
    a = ibv_create_qp(pd, &init);
    b = ibv_create_qp(pd, &init);
    CHECK(a != nullptr && b != nullptr);
    connect(a, b->qp_num);
    connect(b, a->qp_num);
}

Pair::~Pair() {
    CHECK(ibv_destroy_qp(a) == 0);
    CHECK(ibv_destroy_qp(b) == 0);
    if (srq != nullptr) CHECK(ibv_destroy_srq(srq) == 0);
}

ibv_send_wr send_of(std::uint64_t id, ibv_wr_opcode opcode, ibv_sge* sges, int count, unsigned flags) {
    ibv_send_wr wr{};
    wr.wr_id = id;
    wr.sg_list = sges;
    wr.num_sge = count;
    wr.opcode = opcode;
    wr.send_flags = flags;
    return wr;
}

int post(ibv_qp* qp, ibv_send_wr& wr) {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, &wr, &bad);
}

int post_receive(ibv_qp* qp, std::uint64_t id, ibv_sge sge) {
    ibv_recv_wr wr{id, nullptr, &sge, 1};
    ibv_recv_wr* bad = nullptr;
    return ibv_post_recv(qp, &wr, &bad);
}

int post_receive(ibv_srq* srq, std::uint64_t id, ibv_sge sge) {
    ibv_recv_wr wr{id, nullptr, &sge, 1};
    ibv_recv_wr* bad = nullptr;
    return ibv_post_srq_recv(srq, &wr, &bad);
}

}  // namespace calls
