// SPDX-License-Identifier: Apache-2.0
// What a long life and full tables do to the card: numbers and memory come back, limits are errors of the call alone.
// Over the simulator: the stand-in has no limits.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <unistd.h>
#include <memory>
#include <vector>

namespace calls {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30U;

ibv_qp* loop(const Opened& card, ibv_cq* cq, ibv_srq* srq = nullptr) {
    ibv_qp_init_attr init = init_of(card, IBV_QPT_RC, srq);
    init.send_cq = init.recv_cq = cq;
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    if (qp != nullptr) connect(qp, qp->qp_num);
    return qp;
}

/// A WRITE from here to there, which says so in memory.
void write_one(const Opened& card, ibv_qp* qp, ibv_cq* cq) {
    static char letter = 'a';
    letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1);
    card.memory[64] = letter;
    ibv_sge from = card.sge(64, 1);
    ibv_send_wr wr = send_of(7, IBV_WR_RDMA_WRITE, &from, 1);
    wr.wr.rdma = {reinterpret_cast<std::uint64_t>(card.memory) + 128, card.mr->rkey};
    CHECK(post(qp, wr) == 0);
    const ibv_wc wc = poll(cq, 1)[0];
    CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 7 && wc.qp_num == qp->qp_num);
    CHECK(card.memory[128] == letter);
}

void* reserve(std::size_t bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

ibv_device_attr limits(const Opened& card) {
    ibv_device_attr all{};
    CHECK(ibv_query_device(card.context, &all) == 0);
    return all;
}

}  // namespace

CALLS_CASE(churn_of_qps, "churn_of_qps") {
    Opened card;
    const auto most = static_cast<unsigned>(limits(card).max_qp);
    std::uint32_t largest = 0;
    for (unsigned i = 0; i < most + 200; ++i) {
        ibv_qp_init_attr init = init_of(card);
        ibv_qp* const qp = ibv_create_qp(card.pd, &init);
        CHECK(qp != nullptr);
        largest = std::max(largest, qp->qp_num);
        if (i > most) {
            connect(qp, qp->qp_num);
            write_one(card, qp, card.cq);
        }
        CHECK(ibv_destroy_qp(qp) == 0);
    }
    CHECK(largest < most + 2);
}

CALLS_CASE(churn_of_queues, "churn_of_queues") {
    Opened card;
    for (unsigned i = 0; i < 3000; ++i) {
        ibv_srq_init_attr of_srq{};
        of_srq.attr = {.max_wr = 64, .max_sge = 1, .srq_limit = 0};
        ibv_srq* const srq = ibv_create_srq(card.pd, &of_srq);
        ibv_cq* const cq = ibv_create_cq(card.context, 1 + i % 100, nullptr, nullptr, 0);
        CHECK(srq != nullptr && cq != nullptr);
        if (i % 20 == 0) {
            ibv_qp* const qp = loop(card, cq, srq);
            CHECK(qp != nullptr);
            write_one(card, qp, cq);
            ibv_sge from = card.sge(64, 8);
            ibv_send_wr wr = send_of(8, IBV_WR_SEND, &from, 1);
            CHECK(post_receive(srq, 9, card.sge(256, 64)) == 0 && post(qp, wr) == 0);
            const std::vector<ibv_wc> both = poll(cq, 2);
            CHECK(both[0].status == IBV_WC_SUCCESS && both[1].status == IBV_WC_SUCCESS);
            CHECK(both[0].wr_id + both[1].wr_id == 17);
            CHECK(ibv_destroy_qp(qp) == 0);
        }
        CHECK(ibv_destroy_srq(srq) == 0 && ibv_destroy_cq(cq) == 0);
    }
}

CALLS_CASE(churn_of_regions, "churn_of_regions") {
    Opened card;
    void* const memory = reserve(4 * kGiB);
    for (unsigned i = 0; i < 600; ++i) {
        const std::size_t bytes = i % 2 == 0 ? kGiB : kGiB + (i % 7) * (kGiB / 8);
        ibv_mr* const mr = ibv_reg_mr(card.pd, memory, bytes, kAll);
        CHECK(mr != nullptr);
        CHECK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, bytes / 2, 0) == 0);
        CHECK(ibv_dereg_mr(mr) == 0);
    }
}

CALLS_CASE(no_room_for_regions, "no_room_for_regions") {
    Opened card;
    ibv_qp* const qp = loop(card, card.cq);
    void* const memory = reserve(8 * kGiB);
    std::vector<ibv_mr*> all;
    while (ibv_mr* const mr = ibv_reg_mr(card.pd, memory, 8 * kGiB, kAll)) all.push_back(mr);
    CHECK(errno == ENOMEM && !all.empty());
    CHECK(8 * kGiB * all.size() <= limits(card).max_mr_size);
    CHECK(fails(ibv_reg_mr(card.pd, memory, std::size_t{1} << 40U, kAll), ENOMEM));
    write_one(card, qp, card.cq);
    // What has no room as another one stays as it was.
    ibv_mr* const small = ibv_reg_mr(card.pd, memory, 65536, kAll);
    CHECK(small != nullptr);
    CHECK(ibv_rereg_mr(small, IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, memory, 8 * kGiB, 0) != 0 && errno == ENOMEM);
    CHECK(ibv_dereg_mr(all.back()) == 0);
    all.back() = ibv_reg_mr(card.pd, memory, 8 * kGiB, kAll);
    CHECK(all.back() != nullptr);
    ibv_cq* const other = ibv_create_cq(card.context, 100, nullptr, nullptr, 0);
    CHECK(other != nullptr);
    write_one(card, loop(card, other), other);
    for (ibv_mr* const mr : all) CHECK(ibv_dereg_mr(mr) == 0);
    CHECK(ibv_reg_mr(card.pd, memory, 8 * kGiB, kAll) != nullptr);
    std::exit(0);
}

CALLS_CASE(no_room_for_queues, "no_room_for_queues") {
    Opened card;
    ibv_qp* const first = loop(card, card.cq);
    const int most = limits(card).max_cqe;
    std::vector<ibv_cq*> cqs;
    while (ibv_cq* const cq = ibv_create_cq(card.context, most, nullptr, nullptr, 0)) cqs.push_back(cq);
    CHECK(errno == ENOMEM && !cqs.empty());
    write_one(card, first, card.cq);
    for (ibv_cq* const cq : cqs) CHECK(ibv_destroy_cq(cq) == 0);
    ::usleep(2000);  // their memory rests
    std::vector<ibv_qp*> qps;
    ibv_qp_init_attr init = init_of(card);
    while (ibv_qp* const qp = ibv_create_qp(card.pd, &init)) qps.push_back(qp);
    CHECK(errno == ENOMEM && qps.size() + 1 == static_cast<std::size_t>(limits(card).max_qp));
    write_one(card, first, card.cq);
    for (ibv_qp* const qp : qps) CHECK(ibv_destroy_qp(qp) == 0);
    ::usleep(2000);
    ibv_cq* const again = ibv_create_cq(card.context, most, nullptr, nullptr, 0);
    CHECK(again != nullptr);
    write_one(card, loop(card, again), again);
    std::exit(0);
}

CALLS_CASE(no_descriptors, "no_descriptors") {
    Opened card;
    ibv_qp* const qp = loop(card, card.cq);
    rlimit most{};
    CHECK(::getrlimit(RLIMIT_NOFILE, &most) == 0);
    most.rlim_cur = 64;
    CHECK(::setrlimit(RLIMIT_NOFILE, &most) == 0);
    int last = -1;
    for (int made = ::dup(1); made >= 0; made = ::dup(1)) last = made;
    ibv_device** const list = ibv_get_device_list(nullptr);
    for (int i = 0; i < 3; ++i) {
        CHECK(fails(ibv_create_comp_channel(card.context), EMFILE));
        CHECK(fails(ibv_open_device(list[0]), EMFILE));
        write_one(card, qp, card.cq);
    }
    pthread_t thread{};
    const auto in_another = [](void* of) -> void* {  // it has no socket yet, and finds none
        CHECK(fails(ibv_alloc_pd(static_cast<Opened*>(of)->context), EMFILE));
        return nullptr;
    };
    CHECK(pthread_create(&thread, nullptr, in_another, &card) == 0 && pthread_join(thread, nullptr) == 0);
    CHECK(::close(last) == 0);
    ibv_comp_channel* const channel = ibv_create_comp_channel(card.context);
    CHECK(channel != nullptr && ibv_destroy_comp_channel(channel) == 0);
    write_one(card, qp, card.cq);
    std::exit(0);
}

namespace {

/// So many CQs with a completion each, on one channel.
struct ManyEvents : Opened {
    static constexpr unsigned kCqs = 700;
    ibv_comp_channel* channel = nullptr;

    ManyEvents() {
        channel = ibv_create_comp_channel(context);
        CHECK(channel != nullptr);
        for (unsigned i = 0; i < kCqs; ++i) {
            ibv_cq* const its = ibv_create_cq(context, 16, nullptr, channel, 0);
            CHECK(its != nullptr && ibv_req_notify_cq(its, 0) == 0);
            ibv_qp* const qp = loop(*this, its);
            CHECK(qp != nullptr);
            ibv_sge from = sge(64, 8);
            ibv_send_wr wr = send_of(i, IBV_WR_RDMA_WRITE, &from, 1);
            wr.wr.rdma = {reinterpret_cast<std::uint64_t>(memory) + 128, mr->rkey};
            CHECK(post(qp, wr) == 0);
        }
        ::usleep(1000);
    }
    bool take() {
        ibv_cq* its = nullptr;
        void* of = nullptr;
        if (ibv_get_cq_event(channel, &its, &of) != 0) return false;
        ibv_ack_cq_events(its, 1);
        ibv_wc wc{};
        CHECK(ibv_poll_cq(its, 1, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
        return true;
    }
};

}  // namespace

CALLS_CASE(many_events_waited_for, "many_events_waited_for") {
    ManyEvents events;
    for (unsigned i = 0; i < ManyEvents::kCqs; ++i) CHECK(events.take());
    std::exit(0);
}

CALLS_CASE(many_events_looked_for, "many_events_looked_for") {
    ManyEvents events;
    for (unsigned i = 0; i < ManyEvents::kCqs; ++i) {
        pollfd look{events.channel->fd, POLLIN, 0};
        CHECK(::poll(&look, 1, 1000) == 1 && events.take());
    }
    pollfd look{events.channel->fd, POLLIN, 0};
    CHECK(::poll(&look, 1, 10) == 0);
    std::exit(0);
}

CALLS_CASE(many_events_fetched, "many_events_fetched") {
    ManyEvents events;
    CHECK(::fcntl(events.channel->fd, F_SETFL, O_NONBLOCK) == 0);
    for (unsigned i = 0; i < ManyEvents::kCqs; ++i) CHECK(events.take());
    CHECK(!events.take() && errno == EAGAIN);
    std::exit(0);
}

}  // namespace calls
