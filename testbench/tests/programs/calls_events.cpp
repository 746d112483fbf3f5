// SPDX-License-Identifier: Apache-2.0
// Completion channels, asynchronous events, extended CQs, the new post API, datagrams, the clock.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

using namespace calls;

namespace {

void send_one(ibv_qp* from, const Opened& card, std::uint64_t id) {
    ibv_sge sge = card.sge(0, 8);
    ibv_send_wr wr = send_of(id, IBV_WR_SEND, &sge, 1);
    CHECK(post(from, wr) == 0);
}

ibv_qp* loop(const Opened& card, ibv_cq* cq, ibv_srq* srq = nullptr) {
    ibv_qp_init_attr init = init_of(card, IBV_QPT_RC, srq);
    init.send_cq = init.recv_cq = cq;
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    CHECK(qp != nullptr);
    connect(qp, qp->qp_num);
    return qp;
}

std::atomic<bool> g_acknowledged{false};

void* acknowledge_late(void* cq) {
    usleep(100'000);
    g_acknowledged = true;
    ibv_ack_cq_events(static_cast<ibv_cq*>(cq), 1);
    return nullptr;
}

}  // namespace

CALLS_CASE(channel,
           "an armed CQ tells its channel once; a channel in use is EBUSY; destroy_cq waits for acknowledgements") {
    const Opened card;
    ibv_comp_channel* const channel = ibv_create_comp_channel(card.context);
    int mine = 0;
    ibv_cq* const cq = ibv_create_cq(card.context, 16, &mine, channel, 0);
    ibv_qp* const qp = loop(card, cq);
    CHECK(fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
    ibv_cq* told = nullptr;
    void* context = nullptr;
    CHECK(ibv_get_cq_event(channel, &told, &context) == -1 && errno == EAGAIN);
    CHECK(ibv_req_notify_cq(cq, 0) == 0);
    for (std::uint64_t i = 0; i < 2; ++i) {
        CHECK(post_receive(qp, 10 + i, card.sge(64, 8)) == 0);
        send_one(qp, card, i);
    }
    CHECK(fcntl(channel->fd, F_SETFL, 0) == 0);
    CHECK(ibv_get_cq_event(channel, &told, &context) == 0 && told == cq && context == &mine);
    CHECK(poll(cq, 4).size() == 4);
    pollfd more{channel->fd, POLLIN, 0};
    CHECK(::poll(&more, 1, 0) == 0);
    CHECK(ibv_destroy_comp_channel(channel) == EBUSY);
    CHECK(ibv_destroy_qp(qp) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, nullptr, acknowledge_late, cq) == 0);
    CHECK(ibv_destroy_cq(cq) == 0 && g_acknowledged);
    CHECK(pthread_join(thread, nullptr) == 0);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

CALLS_CASE(late_event, "the event of a CQ that is no more is none") {
    const Opened card;
    ibv_comp_channel* const channel = ibv_create_comp_channel(card.context);
    ibv_cq* const cq = ibv_create_cq(card.context, 16, nullptr, channel, 0);
    ibv_qp* const qp = loop(card, cq);
    CHECK(ibv_req_notify_cq(cq, 0) == 0 && post_receive(qp, 1, card.sge(64, 8)) == 0);
    send_one(qp, card, 2);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0);
    pollfd there{channel->fd, POLLIN, 0};
    CHECK(::poll(&there, 1, 0) == 1 && fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
    ibv_cq* told = nullptr;
    void* context = nullptr;
    CHECK(ibv_get_cq_event(channel, &told, &context) == -1 && errno == EAGAIN);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

CALLS_CASE(limit, "an SRQ below its limit is an asynchronous event of the device that it is of") {
    const Opened card, other;
    ibv_srq_init_attr init{nullptr, {.max_wr = 8, .max_sge = 1, .srq_limit = 0}};
    ibv_srq* const srq = ibv_create_srq(card.pd, &init);
    ibv_qp* const qp = loop(card, card.cq, srq);
    for (std::uint64_t i = 0; i < 2; ++i) CHECK(post_receive(srq, i, card.sge(64, 8)) == 0);
    ibv_srq_attr limit{.max_wr = 0, .max_sge = 0, .srq_limit = 2};
    CHECK(ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT) == 0);
    send_one(qp, card, 1);
    ibv_async_event event{};
    CHECK(ibv_get_async_event(card.context, &event) == 0);
    CHECK(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED && event.element.srq == srq);
    ibv_ack_async_event(&event);
    pollfd more{other.context->async_fd, POLLIN, 0};
    CHECK(::poll(&more, 1, 0) == 0);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_srq(srq) == 0);
}

CALLS_CASE(extended, "an extended CQ gives completions one by one; ibv_poll_cq goes on where it ended") {
    const Opened card;
    ibv_cq_init_attr_ex wanted{};
    wanted.cqe = 64;
    wanted.wc_flags = std::uint64_t{IBV_WC_STANDARD_FLAGS} | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
                      IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
    ibv_cq_ex* const cq = ibv_create_cq_ex(card.context, &wanted);
    ibv_qp* const qp = loop(card, ibv_cq_ex_to_cq(cq));
    ibv_poll_cq_attr attributes{};
    CHECK(ibv_start_poll(cq, &attributes) == ENOENT);
    for (std::uint64_t i = 0; i < 3; ++i) send_one(qp, card, i);
    for (std::uint64_t i = 0; i < 3; ++i) CHECK(post_receive(qp, 10 + i, card.sge(64, 8)) == 0);
    CHECK(ibv_start_poll(cq, &attributes) == 0 && cq->wr_id == 10 && cq->status == IBV_WC_SUCCESS);
    CHECK(ibv_wc_read_opcode(cq) == IBV_WC_RECV && ibv_wc_read_byte_len(cq) == 8 &&
          ibv_wc_read_qp_num(cq) == qp->qp_num);
    const std::uint64_t ns = ibv_wc_read_completion_ts(cq);
    CHECK(ns > 0 && ibv_wc_read_completion_wallclock_ns(cq) == 1'700'000'000'000'000'000 + ns);
    CHECK(ibv_next_poll(cq) == 0 && cq->wr_id == 0 && ibv_wc_read_opcode(cq) == IBV_WC_SEND);
    ibv_end_poll(cq);
    CHECK(poll(ibv_cq_ex_to_cq(cq), 3)[0].wr_id == 11);
    CHECK(ibv_start_poll(cq, &attributes) == 0 && cq->wr_id == 2 && ibv_next_poll(cq) == ENOENT);
    ibv_end_poll(cq);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) == 0);
}

CALLS_CASE(new_post,
           "the new post API posts all or nothing, aborts, and is refused with operations that are not there") {
    const Opened card;
    ibv_qp_init_attr_ex wanted{};
    const ibv_qp_init_attr plain = init_of(card);
    std::memcpy(&wanted, &plain, sizeof plain);
    wanted.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    wanted.pd = card.pd;
    wanted.send_ops_flags = IBV_QP_EX_WITH_BIND_MW;
    CHECK(fails(ibv_create_qp_ex(card.context, &wanted), EOPNOTSUPP));
    wanted.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;
    ibv_qp* const qp = ibv_create_qp_ex(card.context, &wanted);
    connect(qp, qp->qp_num);
    ibv_qp_ex* const ex = ibv_qp_to_qp_ex(qp);
    CHECK(ex != nullptr);
    for (std::uint64_t i = 0; i < 2; ++i) CHECK(post_receive(qp, 10 + i, card.sge(64, 64)) == 0);
    char text[] = "inline";
    ibv_wr_start(ex);
    ex->wr_id = 1;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send(ex);
    ibv_wr_set_inline_data(ex, text, sizeof text);
    ex->wr_id = 2;
    ibv_wr_rdma_write_imm(ex, card.mr->rkey, reinterpret_cast<std::uint64_t>(card.memory + 512), 99);
    ibv_sge sges[] = {card.sge(64, 3), card.sge(67, 4)};
    ibv_wr_set_sge_list(ex, 2, sges);
    text[0] = 'x';
    CHECK(ibv_wr_complete(ex) == 0);
    const std::vector<ibv_wc> all = poll(card.cq, 4);
    CHECK(all[0].wr_id == 10 && all[1].wr_id == 1 && all[2].wr_id == 11 && all[3].wr_id == 2 && all[2].imm_data == 99);
    CHECK(std::strcmp(card.memory + 512, "inline") == 0);
    ibv_wr_start(ex);
    ibv_wr_send(ex);
    ibv_wr_set_sge(ex, card.mr->lkey, sges[0].addr, 1);
    ibv_wr_abort(ex);
    ibv_wr_start(ex);
    ibv_wr_send(ex);
    ibv_wr_set_sge(ex, card.mr->lkey, sges[0].addr, 1);
    ibv_wr_send(ex);
    char large[101] = {};
    ibv_wr_set_inline_data(ex, large, sizeof large);
    CHECK(ibv_wr_complete(ex) == EINVAL);
    ibv_wr_start(ex);
    ibv_wr_send(ex);
    ibv_wr_set_sge(ex, card.mr->lkey, sges[0].addr, 1);
    ibv_wr_rdma_read(ex, card.mr->rkey, sges[0].addr);
    ibv_wr_set_inline_data(ex, large, 1);
    CHECK(ibv_wr_complete(ex) == EINVAL);
    ibv_wr_start(ex);
    for (int i = 0; i < 17; ++i) {
        ibv_wr_send(ex);
        ibv_wr_set_sge(ex, card.mr->lkey, sges[0].addr, 1);
    }
    CHECK(ibv_wr_complete(ex) == ENOMEM);
    ibv_wc none{};
    CHECK(post_receive(qp, 12, card.sge(64, 64)) == 0 && ibv_poll_cq(card.cq, 1, &none) == 0);
    ibv_qp_init_attr init = init_of(card);
    ibv_qp* const old = ibv_create_qp(card.pd, &init);
    CHECK(ibv_qp_to_qp_ex(old) == nullptr);
    CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_qp(old) == 0);
}

CALLS_CASE(datagrams, "a datagram comes with its GRH, of which an address handle for the answer is made") {
    const Opened card;
    ibv_qp_init_attr init = init_of(card, IBV_QPT_UD);
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    connect(qp, 0);
    ibv_ah_attr to{};
    to.port_num = 1;
    CHECK(fails(ibv_create_ah(card.pd, &to), EINVAL));
    to.is_global = 1;
    to.grh.sgid_index = 2;
    CHECK(fails(ibv_create_ah(card.pd, &to), EINVAL));
    to.grh.sgid_index = 0;
    CHECK(ibv_query_gid(card.context, 1, 0, &to.grh.dgid) == 0);
    ibv_ah* const ah = ibv_create_ah(card.pd, &to);
    std::strcpy(card.memory, "datagram");
    ibv_sge sge = card.sge(0, 9);
    ibv_send_wr wr = send_of(1, IBV_WR_SEND, &sge, 1);
    CHECK(post(qp, wr) == EINVAL);  // no address handle
    wr.wr.ud = {ah, qp->qp_num, 0x11};
    CHECK(post_receive(qp, 2, card.sge(4096, 64)) == 0 && post(qp, wr) == 0);
    std::vector<ibv_wc> all = poll(card.cq, 2);
    CHECK(all[0].wr_id == 2 && all[0].byte_len == 49 && (all[0].wc_flags & IBV_WC_GRH) != 0 &&
          all[0].src_qp == qp->qp_num);
    CHECK(std::strcmp(card.memory + 4096 + 40, "datagram") == 0);
    auto* const grh = reinterpret_cast<ibv_grh*>(card.memory + 4096);
    ibv_ah_attr back{};
    CHECK(ibv_init_ah_from_wc(card.context, 1, &all[0], grh, &back) == 0);
    CHECK(back.is_global == 1 && std::memcmp(back.grh.dgid.raw, to.grh.dgid.raw, 16) == 0 && back.grh.sgid_index == 0);
    ibv_ah* const answer = ibv_create_ah_from_wc(card.pd, &all[0], grh, 1);
    CHECK(answer != nullptr && ibv_destroy_ah(answer) == 0 && ibv_destroy_ah(ah) == 0 && ibv_destroy_qp(qp) == 0);
}

namespace {

void* wait_for_event(void* channel) {
    ibv_cq* cq = nullptr;
    void* context = nullptr;
    ibv_get_cq_event(static_cast<ibv_comp_channel*>(channel), &cq, &context);
    return nullptr;
}

void cancel_waiting() {
    const Opened card;
    ibv_comp_channel* const channel = ibv_create_comp_channel(card.context);
    pthread_t thread{};
    CHECK(pthread_create(&thread, nullptr, wait_for_event, channel) == 0);
    usleep(50'000);
    void* result = nullptr;
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

}  // namespace

CALLS_CASE(cancel, "a thread that waits for an event can be cancelled") { cancel_waiting(); }
CALLS_CASE(cancel_strict, "strict: a thread that waits for an event can be cancelled") { cancel_waiting(); }

/// Only where time is simulated: a post costs 250 + 130 ns, a posted receive 60, what has an answer 1 here.
CALLS_CASE(clock_strict, "strict: the clock of a thread goes on by what its calls cost") {
    Pair pair;
    const auto now = [&] {
        ibv_values_ex values{};
        values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
        CHECK(ibv_query_rt_values_ex(pair.context, &values) == 0);
        return values.raw_clock.tv_nsec;
    };
    const long before = now();
    CHECK(post_receive(pair.b, 1, pair.sge(64, 8)) == 0 && now() == before + 60);
    send_one(pair.a, pair, 2);
    CHECK(now() == before + 60 + 380);
    ibv_wc wc[2];
    CHECK(ibv_poll_cq(pair.cq, 2, wc) == 2 && now() == before + 60 + 380 + 1);
    ibv_qp_init_attr init = init_of(pair);
    init.cap.max_send_wr = 100;
    ibv_qp* const qp = ibv_create_qp(pair.pd, &init);
    connect(qp, qp->qp_num);
    std::vector<ibv_sge> sges(16, pair.sge(0, 1));
    std::vector<ibv_send_wr> list(100, send_of(0, IBV_WR_SEND, sges.data(), 16, 0));
    for (std::size_t i = 0; i + 1 < list.size(); ++i) list[i].next = &list[i + 1];
    const long until = now();
    CHECK(post(qp, list[0]) == 0 && now() == until + 380);  // four messages, but one call
    CHECK(ibv_destroy_qp(qp) == 0);
}

/// The stand-in ends at a request of the child.
CALLS_CASE(loss_while_waiting, "loss: who waits for an event gets EIO when the simulator is gone") {
    const pid_t child = fork();
    auto* const card = new Opened;
    if (child == 0) {
        usleep(50'000);
        ibv_wc wc{};
        while (ibv_poll_cq(card->cq, 1, &wc) >= 0) {}
        _exit(0);
    }
    ibv_async_event event{};
    CHECK(ibv_get_async_event(card->context, &event) == -1 && errno == EIO);
    CHECK(waitpid(child, nullptr, 0) == child);
}

/// Run with a stand-in that ends meanwhile.
CALLS_CASE(loss_of_simulator, "loss: calls fail with EIO when the simulator is gone, and the program goes on") {
    Pair* const pair = new Pair;
    int error = 0;
    for (int i = 0; i < 10'000 && error == 0; ++i) {
        ibv_wc wc{};
        error = ibv_poll_cq(pair->cq, 1, &wc) < 0 ? errno : 0;
    }
    CHECK(error == EIO);
    ibv_sge sge = pair->sge(0, 8);
    ibv_send_wr wr = send_of(1, IBV_WR_SEND, &sge, 1);
    CHECK(post(pair->a, wr) == EIO && post_receive(pair->a, 1, sge) == EIO);
    CHECK(fails(ibv_alloc_pd(pair->context), EIO));
    ibv_async_event event{};
    CHECK(ibv_get_async_event(pair->context, &event) == -1 && errno == EIO);
    ibv_port_attr port{};
    CHECK(ibv_query_port(pair->context, 1, &port) == EIO && ibv_destroy_qp(pair->a) == EIO);
}
