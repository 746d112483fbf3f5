// SPDX-License-Identifier: Apache-2.0
// Values at the limits of their fields, and what cards of the profile's kind say of them.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <infiniband/mlx5dv.h>

#include <unistd.h>
#include <algorithm>
#include <array>

namespace calls {
namespace {

ibv_qp* loop(const Opened& card, ibv_cq* cq, std::uint32_t sends = 16) {
    ibv_qp_init_attr init = init_of(card);
    init.send_cq = init.recv_cq = cq;
    init.cap.max_send_wr = sends;
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    CHECK(qp != nullptr);
    connect(qp, qp->qp_num);
    return qp;
}

void write_many(const Opened& card, ibv_qp* qp, int count) {
    for (int i = 0; i < count; ++i) {
        ibv_sge from = card.sge(64, 8);
        ibv_send_wr wr = send_of(static_cast<std::uint64_t>(i), IBV_WR_RDMA_WRITE, &from, 1);
        wr.wr.rdma = {reinterpret_cast<std::uint64_t>(card.memory) + 128, card.mr->rkey};
        CHECK(post(qp, wr) == 0);
    }
    ::usleep(2000);
}

/// Events of the device, by their type.
std::array<int, 32> events_of(const Opened& card) {
    CHECK(::fcntl(card.context->async_fd, F_SETFL, O_NONBLOCK) == 0);
    std::array<int, 32> all{};
    ibv_async_event event{};
    while (ibv_get_async_event(card.context, &event) == 0) {
        ++all.at(static_cast<std::size_t>(event.event_type));
        ibv_ack_async_event(&event);
    }
    return all;
}

int polled(ibv_cq* cq) {
    int count = 0;
    for (ibv_wc wc{}; ibv_poll_cq(cq, 1, &wc) == 1; ++count) CHECK(wc.status == IBV_WC_SUCCESS);
    return count;
}

/// INIT, RTR and RTS of an RC QP with these.
int modify(ibv_qp* qp, const ibv_qp_attr& rtr_and_rts) {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = 1;
    to.qp_access_flags = kAll;
    if (const int error = ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
        return error;
    to = rtr_and_rts;
    to.qp_state = IBV_QPS_RTR;
    to.path_mtu = IBV_MTU_1024;
    to.dest_qp_num = qp->qp_num;
    to.ah_attr.is_global = 1;
    to.ah_attr.port_num = 1;
    CHECK(ibv_query_gid(qp->context, 1, 0, &to.ah_attr.grh.dgid) == 0);
    constexpr int kRtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                         IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    if (const int error = ibv_modify_qp(qp, &to, kRtr)) return error;
    to.qp_state = IBV_QPS_RTS;
    return ibv_modify_qp(
        qp, &to,
        IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

}  // namespace

CALLS_CASE(a_cq_has_the_entries_that_it_says, "a_cq_has_the_entries_that_it_says") {
    Opened card;
    for (const int wanted : {1, 2, 5, 8, 100}) {
        ibv_cq* const cq = ibv_create_cq(card.context, wanted, nullptr, nullptr, 0);
        CHECK(cq != nullptr && cq->cqe >= wanted);
        ibv_qp* const qp = loop(card, cq, 256);
        for (int round = 0; round < 3; ++round) {  // also where its ring begins again
            write_many(card, qp, std::max(cq->cqe - round, 0));
            CHECK(polled(cq) == std::max(cq->cqe - round, 0));
        }
        write_many(card, qp, cq->cqe);
        CHECK(events_of(card)[IBV_EVENT_CQ_ERR] == 0);
        write_many(card, qp, 30);  // they find it full, each of them
        const auto events = events_of(card);
        CHECK(events[IBV_EVENT_CQ_ERR] == 1 && events[IBV_EVENT_QP_FATAL] == 1);
        CHECK(polled(cq) == cq->cqe);
        ::usleep(1000);
        CHECK(events_of(card) == (std::array<int, 32>{}) && polled(cq) == 0);
        CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
    }
    ibv_device_attr limits{};
    CHECK(ibv_query_device(card.context, &limits) == 0);
    ibv_cq* const most = ibv_create_cq(card.context, limits.max_cqe, nullptr, nullptr, 0);
    CHECK(most != nullptr && most->cqe == limits.max_cqe && ibv_destroy_cq(most) == 0);
    CHECK(fails(ibv_create_cq(card.context, limits.max_cqe + 1, nullptr, nullptr, 0), EINVAL));
}

CALLS_CASE(a_resized_cq_has_its_entries, "a_resized_cq_has_its_entries") {
    Opened card;
    ibv_cq* const cq = ibv_create_cq(card.context, 4, nullptr, nullptr, 0);
    ibv_qp* const qp = loop(card, cq, 256);
    write_many(card, qp, 4);
    CHECK(ibv_resize_cq(cq, 30) == 0 && cq->cqe >= 30);
    write_many(card, qp, cq->cqe);
    CHECK(polled(cq) == 4 + cq->cqe && events_of(card)[IBV_EVENT_CQ_ERR] == 0);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
}

CALLS_CASE(values_beyond_their_fields, "values_beyond_their_fields") {
    Opened card;
    ibv_device_attr limits{};
    CHECK(ibv_query_device(card.context, &limits) == 0);
    ibv_qp_init_attr init = init_of(card);
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    ibv_qp_attr wanted{};
    wanted.max_rd_atomic = wanted.max_dest_rd_atomic = static_cast<std::uint8_t>(limits.max_qp_rd_atom);
    wanted.retry_cnt = 15;
    wanted.rnr_retry = 14;
    wanted.timeout = 32 + 14;
    wanted.min_rnr_timer = 32 + 3;
    CHECK(modify(qp, wanted) == 0);
    ibv_qp_attr is{};
    ibv_qp_init_attr made{};
    CHECK(ibv_query_qp(qp, &is, IBV_QP_STATE, &made) == 0);
    CHECK(is.retry_cnt == 7 && is.rnr_retry == 6 && is.timeout == 14 && is.min_rnr_timer == 3);
    CHECK(is.max_rd_atomic == limits.max_qp_rd_atom);
    for (std::uint8_t ibv_qp_attr::*const field : {&ibv_qp_attr::max_rd_atomic, &ibv_qp_attr::max_dest_rd_atomic}) {
        reset(qp);
        ibv_qp_attr more = wanted;
        more.*field = static_cast<std::uint8_t>(limits.max_qp_rd_atom + 1);
        CHECK(modify(qp, more) == EINVAL);
    }
    reset(qp);
    wanted.timeout = 0;
    CHECK(modify(qp, wanted) == 0);
    CHECK(ibv_destroy_qp(qp) == 0);
}

CALLS_CASE(receives_of_an_srq_are_its_own, "receives_of_an_srq_are_its_own") {
    Opened card;
    ibv_srq_init_attr of_srq{};
    of_srq.attr = {.max_wr = 10, .max_sge = 1, .srq_limit = 0};
    ibv_srq* const srq = ibv_create_srq(card.pd, &of_srq);
    ibv_qp_init_attr init = init_of(card, IBV_QPT_RC, srq);
    init.cap.max_recv_wr = init.cap.max_recv_sge = 1U << 30U;
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    CHECK(qp != nullptr && init.cap.max_recv_wr == 0);
    CHECK(ibv_destroy_qp(qp) == 0);
    init.srq = nullptr;
    init.cap.max_recv_wr = 1U << 30U;
    CHECK(fails(ibv_create_qp(card.pd, &init), EINVAL));
    CHECK(ibv_destroy_srq(srq) == 0);
}

CALLS_CASE(errors_have_the_vendors_numbers, "errors_have_the_vendors_numbers") {
    Pair pair;
    const auto end_of = [&](ibv_wr_opcode opcode, std::uint64_t there, std::uint32_t rkey, std::uint32_t lkey) {
        ibv_sge here = pair.sge(0, 8);
        here.lkey = lkey;
        ibv_send_wr wr = send_of(1, opcode, &here, 1);
        wr.wr.rdma = {there, rkey};
        CHECK(post(pair.a, wr) == 0);
        const ibv_wc wc = poll(pair.cq, 1)[0];
        reset(pair.a);
        reset(pair.b);
        connect(pair.a, pair.b->qp_num);
        connect(pair.b, pair.a->qp_num);
        return std::array{static_cast<std::uint32_t>(wc.status), wc.vendor_err};
    };
    const auto there = reinterpret_cast<std::uint64_t>(pair.memory);
    using Numbers = std::array<std::uint32_t, 2>;
    CHECK((end_of(IBV_WR_RDMA_WRITE, there, pair.mr->rkey, pair.mr->lkey) == Numbers{IBV_WC_SUCCESS, 0}));
    CHECK((end_of(IBV_WR_RDMA_WRITE, there, 0, pair.mr->lkey) == Numbers{IBV_WC_REM_ACCESS_ERR, 0x88}));
    CHECK((end_of(IBV_WR_RDMA_WRITE, there, pair.mr->rkey, 0) == Numbers{IBV_WC_LOC_PROT_ERR, 0x51}));
    reset(pair.b);  // it answers nothing
    CHECK((end_of(IBV_WR_RDMA_WRITE, there, pair.mr->rkey, pair.mr->lkey) == Numbers{IBV_WC_RETRY_EXC_ERR, 0x81}));
    ibv_qp_attr error{};
    error.qp_state = IBV_QPS_ERR;
    CHECK(ibv_modify_qp(pair.a, &error, IBV_QP_STATE) == 0);
    CHECK((end_of(IBV_WR_RDMA_WRITE, there, pair.mr->rkey, pair.mr->lkey) == Numbers{IBV_WC_WR_FLUSH_ERR, 0xF9}));
}

CALLS_CASE(mlx5dv_tells_of_no_feature, "mlx5dv_tells_of_no_feature") {
    Opened card;
    mlx5dv_context answer{};
    answer.comp_mask = ~std::uint64_t{0};  // all that there is to ask for
    answer.flags = ~std::uint64_t{0};
    CHECK(mlx5dv_query_device(card.context, &answer) == 0);
    CHECK(answer.comp_mask == 0 && answer.flags == 0);
}

CALLS_CASE(large_inline_data, "large_inline_data") {
    Opened card;
    for (const std::uint32_t bytes : {0U, 220U, 221U, 500U, 912U}) {
        ibv_qp_init_attr init = init_of(card);
        init.cap.max_inline_data = bytes;
        ibv_qp* const qp = ibv_create_qp(card.pd, &init);
        CHECK(qp != nullptr && init.cap.max_inline_data >= bytes);
        connect(qp, qp->qp_num);
        for (int i = 0; i < 40; ++i) {  // more than its ring has
            std::array<char, 912> data{};
            data.fill(static_cast<char>('a' + i % 26));
            ibv_sge from{reinterpret_cast<std::uint64_t>(data.data()), bytes, 0};
            ibv_send_wr wr = send_of(3, IBV_WR_RDMA_WRITE, &from, 1, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
            wr.wr.rdma = {reinterpret_cast<std::uint64_t>(card.memory) + 2048, card.mr->rkey};
            CHECK(post(qp, wr) == 0);
            data.fill('-');
            CHECK(poll(card.cq, 1)[0].status == IBV_WC_SUCCESS);
            const auto right = [&](char c) { return c == 'a' + i % 26; };
            CHECK(std::all_of(card.memory + 2048, card.memory + 2048 + bytes, right));
        }
        CHECK(ibv_destroy_qp(qp) == 0);
    }
    ibv_qp_init_attr init = init_of(card);
    init.cap.max_inline_data = 913;
    CHECK(fails(ibv_create_qp(card.pd, &init), EINVAL));
}

}  // namespace calls
