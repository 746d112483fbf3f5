// SPDX-License-Identifier: Apache-2.0
// Threads that share a queue have a clock each: what is posted first is first in the queue, whoever's clock is ahead.
// Programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <thread>

namespace {

using namespace calls;

/// Two QPs that are connected with each other, with what the simulated card has room for.
struct Couple : Opened {
    ibv_srq* srq = nullptr;
    ibv_qp* a = nullptr;
    ibv_qp* b = nullptr;

    explicit Couple(bool shares = false) {
        ibv_srq_init_attr shared{};
        shared.attr = {.max_wr = 8, .max_sge = 1, .srq_limit = 0};
        if (shares) srq = ibv_create_srq(pd, &shared);
        ibv_qp_init_attr init = init_of(*this, IBV_QPT_RC, srq);
        init.cap.max_send_sge = init.cap.max_recv_sge = 1;
        a = ibv_create_qp(pd, &init);
        b = ibv_create_qp(pd, &init);
        CHECK(a != nullptr && b != nullptr && (srq != nullptr) == shares);
        connect(a, b->qp_num);
        connect(b, a->qp_num);
    }
    ~Couple() {
        CHECK(ibv_destroy_qp(a) == 0 && ibv_destroy_qp(b) == 0);
        if (srq != nullptr) CHECK(ibv_destroy_srq(srq) == 0);
    }
    Couple(const Couple&) = delete;
    Couple& operator=(const Couple&) = delete;
};

/// `first` by a thread whose clock is 20 us ahead of that of the one that does `second`, afterwards.
template <class First, class Second>
void one_after_the_other(First first, Second second) {
    struct Behind {
        Second& call;
        sem_t turn{};
    } behind{second};
    CHECK(sem_init(&behind.turn, 0, 0) == 0);
    pthread_t thread{};
    const auto run = [](void* of) -> void* {
        auto* const its = static_cast<Behind*>(of);
        CHECK(sem_wait(&its->turn) == 0);
        its->call();
        return nullptr;
    };
    CHECK(pthread_create(&thread, nullptr, run, &behind) == 0);
    timespec time{};
    for (int i = 0; i < 1000; ++i) CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    first();
    CHECK(sem_post(&behind.turn) == 0 && pthread_join(thread, nullptr) == 0 && sem_destroy(&behind.turn) == 0);
}

void write_messages(const Couple& pair) {
    std::memcpy(pair.memory, "first", 6);
    std::memcpy(pair.memory + 64, "second", 7);
}

void send(const Couple& pair, std::uint64_t id, std::size_t from) {
    ibv_sge sge = pair.sge(from, 8);
    ibv_send_wr wr = send_of(id, IBV_WR_SEND, &sge, 1);
    CHECK(post(pair.a, wr) == 0);
}

/// Two messages in the order of their receives; the completions of both have the wr_ids of both.
void check_arrivals(const Couple& pair) {
    std::vector<std::uint64_t> receives;
    for (const ibv_wc& wc : poll(pair.cq, 4)) {
        CHECK(wc.status == IBV_WC_SUCCESS);
        if (wc.opcode == IBV_WC_RECV) receives.push_back(wc.wr_id);
    }
    CHECK((receives == std::vector<std::uint64_t>{1, 2}));
    CHECK(std::strcmp(pair.memory + 1024, "first") == 0 && std::strcmp(pair.memory + 2048, "second") == 0);
}

CALLS_CASE(sends, "of two threads that post sends, the first one's is sent first") {
    const Couple pair;
    write_messages(pair);
    CHECK(post_receive(pair.b, 1, pair.sge(1024, 8)) == 0 && post_receive(pair.b, 2, pair.sge(2048, 8)) == 0);
    one_after_the_other([&] { send(pair, 11, 0); }, [&] { send(pair, 12, 64); });
    check_arrivals(pair);
}

/// `queue`: a QP or an SRQ.
template <class Queue>
void check_receives(const Couple& pair, Queue* queue) {
    write_messages(pair);
    one_after_the_other([&] { CHECK(post_receive(queue, 1, pair.sge(1024, 8)) == 0); },
                        [&] { CHECK(post_receive(queue, 2, pair.sge(2048, 8)) == 0); });
    send(pair, 11, 0);
    send(pair, 12, 64);
    check_arrivals(pair);
}

CALLS_CASE(receives, "of two threads that post receives, the first one's takes the first message") {
    const Couple pair;
    check_receives(pair, pair.b);
}

CALLS_CASE(shared_receives, "of two threads that post to an SRQ, the first one's takes the first message") {
    const Couple pair(true);
    check_receives(pair, pair.srq);
}

CALLS_CASE(turns, "receives of threads that take turns have their wr_ids") {
    constexpr std::uint64_t kTurns = 400;  // some come while the simulator reads
    const Couple pair;
    ibv_cq* const cq = pair.cq;
    struct Turns {
        const Couple& pair;
        std::atomic<std::uint64_t> next{0};
        std::atomic<std::uint64_t> taken{0};
    } turns{pair};
    const auto post_each_second = [&turns](std::uint64_t first) {
        for (std::uint64_t id = first; id < kTurns; id += 2) {
            while (turns.next.load() != id || turns.taken.load() + 4 < id) sched_yield();
            CHECK(post_receive(turns.pair.b, id, turns.pair.sge(1024 + (id % 8) * 8, 8)) == 0);
            turns.next = id + 1;
        }
    };
    std::thread even(post_each_second, 0);
    std::thread odd(post_each_second, 1);
    for (std::uint64_t id = 0; id < kTurns; id += 2) {
        while (turns.next.load() < id + 2) sched_yield();
        for (std::uint64_t i = id; i < id + 2; ++i) {
            std::memcpy(pair.memory, &i, sizeof i);
            send(pair, i, 0);
            for (unsigned found = 0; found < 2;) {
                ibv_wc wc{};
                if (ibv_poll_cq(cq, 1, &wc) == 0) continue;
                CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == i);
                ++found;
            }
            CHECK(std::memcmp(pair.memory + 1024 + (i % 8) * 8, &i, sizeof i) == 0);
        }
        turns.taken = id + 2;
    }
    even.join();
    odd.join();
}

}  // namespace
