// SPDX-License-Identifier: Apache-2.0
// Work requests and their completions.
#include "testbench/programs/library/wr_ids.h"
#include "testbench/tests/programs/calls.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <random>

using namespace calls;

CALLS_CASE(operations, "SEND, WRITE, READ and atomics move the bytes and complete with their wr_ids") {
    Pair pair;
    std::strcpy(pair.memory, "to be sent");
    ibv_sge sge = pair.sge(0, 16);
    CHECK(post_receive(pair.b, 77, pair.sge(1024, 16)) == 0);
    ibv_send_wr send = send_of(1, IBV_WR_SEND_WITH_IMM, &sge, 1);
    send.imm_data = 0x12345678;
    CHECK(post(pair.a, send) == 0);
    ibv_send_wr write = send_of(2, IBV_WR_RDMA_WRITE, &sge, 1);
    write.wr.rdma = {reinterpret_cast<std::uint64_t>(pair.memory + 2048), pair.mr->rkey};
    CHECK(post(pair.a, write) == 0);
    ibv_sge back = pair.sge(4096, 16);
    ibv_send_wr read = send_of(3, IBV_WR_RDMA_READ, &back, 1);
    read.wr.rdma = write.wr.rdma;
    CHECK(post(pair.a, read) == 0);
    ibv_sge old = pair.sge(8192, 8);
    ibv_send_wr add = send_of(4, IBV_WR_ATOMIC_FETCH_AND_ADD, &old, 1);
    add.wr.atomic = {.remote_addr = reinterpret_cast<std::uint64_t>(pair.memory + 16384),
                     .compare_add = 5,
                     .swap = 9,
                     .rkey = pair.mr->rkey};
    CHECK(post(pair.a, add) == 0);
    add.wr_id = 5;
    add.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
    CHECK(post(pair.a, add) == 0);
    std::map<std::uint64_t, ibv_wc> all;
    for (const ibv_wc& wc : poll(pair.cq, 6)) all[wc.wr_id] = wc;
    CHECK(all.size() == 6 &&
          std::ranges::all_of(all, [](const auto& wc) { return wc.second.status == IBV_WC_SUCCESS; }));
    CHECK(all[77].opcode == IBV_WC_RECV && all[77].imm_data == 0x12345678 && all[77].qp_num == pair.b->qp_num &&
          all[77].byte_len == 16);
    CHECK(all[77].wc_flags == IBV_WC_WITH_IMM && all[3].opcode == IBV_WC_RDMA_READ &&
          all[5].opcode == IBV_WC_COMP_SWAP);
    for (const std::size_t at : {1024, 2048, 4096}) CHECK(std::strcmp(pair.memory + at, "to be sent") == 0);
    std::uint64_t value = 0;
    std::memcpy(&value, pair.memory + 16384, sizeof value);
    CHECK(value == 9);  // 0 + 5, and 5 swapped for 9
}

CALLS_CASE(atomic_writes, "an ATOMIC WRITE puts eight bytes where it says; another number inline is refused") {
    Pair pair;
    std::strcpy(pair.memory, "as one");
    ibv_sge sge = pair.sge(0, 8);
    ibv_send_wr write = send_of(1, IBV_WR_ATOMIC_WRITE, &sge, 1);
    write.wr.rdma = {reinterpret_cast<std::uint64_t>(pair.memory + 2048), pair.mr->rkey};
    CHECK(post(pair.a, write) == 0);
    CHECK(poll(pair.cq, 1)[0].opcode == IBV_WC_ATOMIC_WRITE && std::strcmp(pair.memory + 2048, "as one") == 0);
    write.send_flags |= IBV_SEND_INLINE;
    sge.length = 4;
    CHECK(post(pair.a, write) == EINVAL);
}

CALLS_CASE(full, "a full queue is ENOMEM and says which request; a completion frees its place and those before it") {
    Pair pair;
    ibv_sge sge = pair.sge(0, 8);
    std::vector<ibv_send_wr> list(17, send_of(0, IBV_WR_SEND, &sge, 1, 0));
    for (std::size_t i = 0; i < list.size(); ++i) {
        list[i].wr_id = i;
        list[i].next = i + 1 < list.size() ? &list[i + 1] : nullptr;
    }
    list[9].send_flags = IBV_SEND_SIGNALED;
    ibv_send_wr* bad = nullptr;
    CHECK(ibv_post_send(pair.a, list.data(), &bad) == ENOMEM && bad == &list[16]);
    for (std::uint64_t i = 0; i < 16; ++i) CHECK(post_receive(pair.b, 100 + i, pair.sge(64, 8)) == 0);
    CHECK(post_receive(pair.b, 200, pair.sge(64, 8)) == ENOMEM);
    CHECK(poll(pair.cq, 17).size() == 17);  // 16 receives, and number 9
    for (std::size_t i = 0; i < 10; ++i) CHECK(post(pair.a, list[16]) == 0);
    CHECK(post(pair.a, list[16]) == ENOMEM);
}

CALLS_CASE(wrong,
           "EINVAL: posts in a wrong state, too many SGEs, too much or a READ inline, an opcode of another transport") {
    Pair pair;
    ibv_sge sges[17];
    std::fill_n(sges, 17, pair.sge(0, 8));
    ibv_send_wr many = send_of(0, IBV_WR_SEND, sges, 17);
    CHECK(post(pair.a, many) == EINVAL);
    sges[0].length = 101;
    ibv_send_wr inlined = send_of(0, IBV_WR_SEND, sges, 1, IBV_SEND_INLINE);
    CHECK(post(pair.a, inlined) == EINVAL);
    sges[0].length = 8;
    ibv_send_wr read = send_of(0, IBV_WR_RDMA_READ, sges, 1, IBV_SEND_INLINE);
    CHECK(post(pair.a, read) == EINVAL);
    ibv_send_wr invalidate = send_of(0, IBV_WR_LOCAL_INV, sges, 0);
    CHECK(post(pair.a, invalidate) == EOPNOTSUPP);
    ibv_qp_init_attr init = init_of(pair, IBV_QPT_UC);
    ibv_qp* const uc = ibv_create_qp(pair.pd, &init);
    ibv_send_wr send = send_of(0, IBV_WR_SEND, sges, 1);
    CHECK(post(uc, send) == EINVAL && post_receive(uc, 0, sges[0]) == EINVAL);
    connect(uc, uc->qp_num);
    read.send_flags = 0;
    CHECK(post(uc, read) == EINVAL && post(uc, send) == 0);
    CHECK(ibv_destroy_qp(uc) == 0);
}

CALLS_CASE(in_parts, "a list longer than a message goes in several, in its order") {
    const Opened card;
    ibv_qp_init_attr init = init_of(card);
    init.cap.max_send_wr = init.cap.max_recv_wr = 1000;
    ibv_qp* const qp = ibv_create_qp(card.pd, &init);
    connect(qp, qp->qp_num);
    std::vector<ibv_sge> sges(16, card.sge(0, 1));
    std::vector<ibv_send_wr> sends(1000, send_of(0, IBV_WR_SEND, sges.data(), 16));
    ibv_sge to = card.sge(4096, 16);
    std::vector<ibv_recv_wr> receives(1000, ibv_recv_wr{0, nullptr, &to, 1});
    for (std::size_t i = 0; i < 1000; ++i) {
        sends[i].wr_id = i;
        receives[i].wr_id = 5000 + i;
        if (i + 1 < 1000) sends[i].next = &sends[i + 1];
        if (i + 1 < 1000) receives[i].next = &receives[i + 1];
    }
    ibv_recv_wr* bad_receive = nullptr;
    ibv_send_wr* bad = nullptr;
    CHECK(ibv_post_recv(qp, receives.data(), &bad_receive) == 0 && ibv_post_send(qp, sends.data(), &bad) == 0);
    std::uint64_t sent = 0, received = 5000;
    for (const ibv_wc& wc : poll(card.cq, 2000)) {
        CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == ((wc.opcode & IBV_WC_RECV) != 0 ? received++ : sent++));
    }
    CHECK(ibv_destroy_qp(qp) == 0);
}

CALLS_CASE(inlined, "inline data is what it was when it was posted, from several places") {
    Pair pair;
    char first[3] = {'a', 'b', 'c'}, second[4] = {'d', 'e', 'f', '\0'};
    ibv_sge sges[] = {{reinterpret_cast<std::uint64_t>(first), 3, 0}, {reinterpret_cast<std::uint64_t>(second), 4, 0}};
    ibv_send_wr wr = send_of(1, IBV_WR_SEND, sges, 2, IBV_SEND_INLINE | IBV_SEND_SIGNALED);
    CHECK(post(pair.a, wr) == 0);  // there is no receive yet
    first[0] = second[0] = 'x';
    CHECK(post_receive(pair.b, 2, pair.sge(0, 16)) == 0);
    CHECK(poll(pair.cq, 2).size() == 2 && std::strcmp(pair.memory, "abcdef") == 0);
}

CALLS_CASE(reset_qp, "RESET drops what was posted and its completions, and makes room") {
    Pair pair;
    ibv_sge sge = pair.sge(0, 8);
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < 16; ++i) CHECK(post_receive(pair.b, i, pair.sge(64, 8)) == 0);
        ibv_send_wr wr = send_of(static_cast<std::uint64_t>(round), IBV_WR_SEND, &sge, 1);
        CHECK(post(pair.a, wr) == 0);
        if (round != 0) {
            std::vector<ibv_wc> all = poll(pair.cq, 2);
            CHECK(all[0].status == IBV_WC_SUCCESS && all[1].status == IBV_WC_SUCCESS &&
                  all[0].wr_id + all[1].wr_id == static_cast<std::uint64_t>(round));
        }
        reset(pair.a);
        reset(pair.b);
        ibv_wc none;
        CHECK(ibv_poll_cq(pair.cq, 1, &none) == 0);
        connect(pair.a, pair.b->qp_num);
        connect(pair.b, pair.a->qp_num);
    }
}

static ibv_srq* srq_of_8(Opened& card) {
    ibv_srq_init_attr init{&card, {.max_wr = 8, .max_sge = 1, .srq_limit = 0}};
    return ibv_create_srq(card.pd, &init);
}

CALLS_CASE(shared, "an SRQ knows its wr_ids in any order; what a destroyed QP held of it is free again") {
    Pair pair(srq_of_8);
    for (std::uint64_t i = 0; i < 8; ++i) CHECK(post_receive(pair.srq, 100 + i, pair.sge(64 * i, 64)) == 0);
    CHECK(post_receive(pair.srq, 0, pair.sge(0, 8)) == ENOMEM);
    ibv_sge sge = pair.sge(4096, 8);
    for (std::uint64_t i = 0; i < 3; ++i) {
        ibv_send_wr wr = send_of(i, IBV_WR_SEND, &sge, 1, 0);
        CHECK(post(pair.a, wr) == 0);
    }
    ibv_wc wc{};
    CHECK(ibv_poll_cq(pair.cq, 1, &wc) == 1 && wc.wr_id == 100);
    CHECK(ibv_destroy_qp(pair.b) == 0);  // 101 and 102 are in the CQ, and go with it
    CHECK(ibv_poll_cq(pair.cq, 1, &wc) == 0);
    for (std::uint64_t i = 0; i < 3; ++i) CHECK(post_receive(pair.srq, 200 + i, pair.sge(0, 8)) == 0);
    CHECK(post_receive(pair.srq, 0, pair.sge(0, 8)) == ENOMEM);
    ibv_srq_attr attributes{};
    CHECK(ibv_query_srq(pair.srq, &attributes) == 0 && attributes.max_wr == 8);
    CHECK(post_receive(pair.a, 0, pair.sge(0, 8)) == EINVAL);  // its receives are the SRQ's
    ibv_qp_init_attr init = init_of(pair, IBV_QPT_RC, pair.srq);
    pair.b = ibv_create_qp(pair.pd, &init);
}

CALLS_CASE(table, "the table of an SRQ's wr_ids does as a map does") {
    rnicsim::programs::WrTable table;
    std::map<std::uint32_t, std::uint64_t> expected;
    std::mt19937 random(1);
    CHECK(table.make(60));
    for (int step = 0; step < 200'000; ++step) {
        const bool adds = expected.size() < 60 && (expected.empty() || random() % 2 == 0);
        CHECK(table.has_room(1) == (expected.size() < 60));
        if (adds) {
            const std::uint64_t id = random();
            expected[table.next()] = id;
            table.put(id);
            continue;
        }
        auto any = expected.begin();
        std::advance(any, random() % expected.size());  // some stay so long that others have their place
        std::uint64_t id = 0;
        CHECK(table.take(any->first, id) && id == any->second && !table.take(any->first, id));
        expected.erase(any);
    }
}

namespace {

// A list fills the socket (200 KiB) of a slow simulator, so that who posts it sleeps in the midst of it.
constexpr int kRounds = 3, kThreads = 3, kList = 1000, kSges = 16;

/// Threads that post at the same time, again and again: `round` starts them.
struct Shared {
    explicit Shared(std::uint32_t wqes) : qp(make(card, wqes)) {}
    ~Shared() { CHECK(ibv_destroy_qp(qp) == 0); }
    static ibv_qp* make(const Opened& card, std::uint32_t wqes) {
        ibv_qp_init_attr init = init_of(card);
        init.cap.max_send_wr = wqes;
        ibv_qp* const qp = ibv_create_qp(card.pd, &init);
        CHECK(qp != nullptr);
        connect(qp, qp->qp_num);
        return qp;
    }

    Opened card;
    ibv_qp* qp;
    std::atomic<int> round{0};
    std::array<std::atomic<int>, kThreads * kList> seen{};
    std::atomic<int> polled{0};
};

struct Poster {
    Shared* shared;
    std::uint64_t first;  ///< wr_id
};

void post_list(Shared& shared, std::uint64_t first) {
    std::array<ibv_sge, kSges> sges;
    sges.fill(shared.card.sge(0, 8));
    std::vector<ibv_send_wr> list(kList);
    for (int i = 0; i < kList; ++i) {
        list[i] = send_of(first + static_cast<std::uint64_t>(i), IBV_WR_RDMA_WRITE, sges.data(), kSges);
        list[i].wr.rdma = {reinterpret_cast<std::uint64_t>(shared.card.memory + 64), shared.card.mr->rkey};
        if (i + 1 < kList) list[i].next = &list[i + 1];
    }
    CHECK(post(shared.qp, list[0]) == 0);
}

/// One completion at a time: who has fetched one may be overtaken by who fetches the next.
void poll_one(Shared& shared) {
    ibv_wc wc{};
    const int got = ibv_poll_cq(shared.card.cq, 1, &wc);
    CHECK(got >= 0 && (got == 0 || (wc.status == IBV_WC_SUCCESS && wc.wr_id < shared.seen.size())));
    if (got == 0) return;
    ++shared.seen[wc.wr_id];
    ++shared.polled;
}

void* post_and_poll(void* of) {
    const Poster poster = *static_cast<Poster*>(of);
    Shared& shared = *poster.shared;
    for (int round = 1; round <= kRounds; ++round) {
        while (shared.round < round) sched_yield();
        post_list(shared, poster.first);
        while (shared.polled < round * kThreads * kList) poll_one(shared);
    }
    return nullptr;
}

}  // namespace

CALLS_CASE(threads, "slow: threads that share a QP and its CQ get each completion once") {
    Shared shared(kThreads * kList);  // full in each round, empty after it
    pthread_t threads[kThreads];
    Poster posters[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        posters[i] = {&shared, static_cast<std::uint64_t>(i * kList)};
        CHECK(pthread_create(&threads[i], nullptr, post_and_poll, &posters[i]) == 0);
    }
    for (int round = 1; round <= kRounds; ++round) {
        shared.round = round;
        while (shared.polled < round * kThreads * kList) sched_yield();
    }
    for (const pthread_t each : threads) CHECK(pthread_join(each, nullptr) == 0);
    CHECK(std::ranges::all_of(shared.seen, [](const auto& times) { return times == kRounds; }));
}
