// What programs wait for, and how long that takes: programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>

namespace {

using namespace calls;

ibv_qp* qp_of(const Opened& card, ibv_cq* cq) {
    ibv_qp_init_attr init = init_of(card);
    init.send_cq = init.recv_cq = cq;
    init.cap.max_send_sge = 1;
    ibv_qp* const made = ibv_create_qp(card.pd, &init);
    CHECK(made != nullptr);
    return made;
}

/// Its peer is not there: what it sends fails after eight timeouts of 67 ms.
ibv_qp* lonely_qp(const Opened& card, ibv_cq* cq) {
    ibv_qp* const made = qp_of(card, cq);
    connect(made, 0x123456);
    return made;
}

CALLS_CASE(channels_writable, "descriptors of the card's are readable and never writable") {
    const Opened card;
    ibv_comp_channel* const channel = ibv_create_comp_channel(card.context);
    ibv_cq* const heard = ibv_create_cq(card.context, 16, nullptr, channel, 0);
    const int cm = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
    CHECK(channel != nullptr && heard != nullptr && cm >= 0);
    std::array<pollfd, 3> all{
        {{channel->fd, POLLIN | POLLOUT, 0}, {cm, POLLIN | POLLOUT, 0}, {card.context->async_fd, POLLIN | POLLOUT, 0}}};
    CHECK(poll(all.data(), all.size(), 0) == 0);

    ibv_qp* const lonely = lonely_qp(card, heard);
    CHECK(ibv_req_notify_cq(heard, 0) == 0);
    ibv_sge sge = card.sge(0, 8);
    ibv_send_wr wr = send_of(1, IBV_WR_SEND, &sge, 1);
    CHECK(post(lonely, wr) == 0);
    CHECK(poll(all.data(), all.size(), -1) == 1 && all[0].revents == POLLIN);
    ibv_cq* of = nullptr;
    void* context_of = nullptr;
    CHECK(ibv_get_cq_event(channel, &of, &context_of) == 0 && of == heard);
    ibv_ack_cq_events(heard, 1);
    CHECK(poll(all.data(), all.size(), 0) == 0);
    CHECK(ibv_destroy_qp(lonely) == 0 && ibv_destroy_cq(heard) == 0 && ibv_destroy_comp_channel(channel) == 0);
    close(cm);
}

/// Polls these in turn until something comes to the first; returns how often.
int turns_of(ibv_cq* first, ibv_cq* second) {
    ibv_wc wc{};
    for (int turns = 1;; ++turns) {
        const int came = ibv_poll_cq(first, 1, &wc);
        CHECK(came >= 0);
        if (came == 1) return turns;
        CHECK(second == nullptr || ibv_poll_cq(second, 1, &wc) == 0);
    }
}

CALLS_CASE(unpolled, "a completion that nobody polls does not make polls of other CQs quick") {
    const Opened card;
    ibv_qp *const a = qp_of(card, card.cq), *const b = qp_of(card, card.cq);
    connect(a, b->qp_num);
    connect(b, a->qp_num);
    ibv_sge sge = card.sge(0, 8);
    ibv_send_wr wr = send_of(7, IBV_WR_RDMA_WRITE, &sge, 1);
    wr.wr.rdma = {reinterpret_cast<std::uint64_t>(card.memory) + 4096, card.mr->rkey};
    CHECK(post(a, wr) == 0);
    usleep(100);
    ibv_cq* const failing = ibv_create_cq(card.context, 16, nullptr, nullptr, 0);
    ibv_cq* const other = ibv_create_cq(card.context, 16, nullptr, nullptr, 0);
    for (ibv_cq* const second : {static_cast<ibv_cq*>(nullptr), other}) {
        ibv_qp* const lonely = lonely_qp(card, failing);
        ibv_send_wr lost = send_of(1, IBV_WR_SEND, &sge, 1);
        CHECK(post(lonely, lost) == 0);
        // A poll that finds nothing waits up to 100 us.
        const int turns = turns_of(failing, second);
        CHECK(turns > 4'000 && turns < 10'000);
        CHECK(ibv_destroy_qp(lonely) == 0);
    }
    CHECK(poll(card.cq, 1).front().wr_id == 7);
    CHECK(ibv_destroy_qp(a) == 0 && ibv_destroy_qp(b) == 0);
    CHECK(ibv_destroy_cq(failing) == 0 && ibv_destroy_cq(other) == 0);
}

}  // namespace
