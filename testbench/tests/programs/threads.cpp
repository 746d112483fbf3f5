// SPDX-License-Identifier: Apache-2.0
// Both sides answer each other on a QP for each of their threads, which wait with epoll: verbs_threads PEER PORT
// listen|connect [shared]. PEER is the number of the other host, from 1; shared: each answer takes a lock. Prints when
// its threads end, in ns.
#include "testbench/tests/programs/two_hosts.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <string>

namespace calls {
namespace {

constexpr std::size_t kThreads = 6;
constexpr int kRounds = 20;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
bool g_shared = false;

std::int64_t now() {
    timespec time{};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

/// A thread's channel, CQ and QP, and the descriptor by which it waits.
struct Worker {
    const Opened* card = nullptr;
    std::size_t number = 0;
    bool first = false;
    int epoll = -1;
    ibv_comp_channel* channel = nullptr;
    ibv_cq* cq = nullptr;
    ibv_qp* qp = nullptr;
    pthread_t thread{};
    std::int64_t ended = 0;

    void make(const Opened& on, std::size_t of) {
        card = &on;
        number = of;
        channel = ibv_create_comp_channel(on.context);
        CHECK(channel != nullptr && ::fcntl(channel->fd, F_SETFL, O_NONBLOCK) == 0);
        cq = ibv_create_cq(on.context, 64, nullptr, channel, 0);
        ibv_qp_init_attr init = init_of(on);
        init.send_cq = init.recv_cq = cq;
        init.cap.max_send_sge = 1;
        qp = ibv_create_qp(on.pd, &init);
        epoll = ::epoll_create1(0);
        epoll_event event{EPOLLIN, {.u32 = 0}};
        CHECK(cq != nullptr && qp != nullptr && ::epoll_ctl(epoll, EPOLL_CTL_ADD, channel->fd, &event) == 0);
        CHECK(ibv_req_notify_cq(cq, 0) == 0);
    }

    void receive() const { CHECK(post_receive(qp, 100, card->sge(number * 512, 64)) == 0); }
    void send() const {
        ibv_sge from = card->sge(32768 + number * 512, 64);
        ibv_send_wr wr = send_of(1, IBV_WR_SEND, &from, 1);
        if (g_shared) CHECK(pthread_mutex_lock(&g_lock) == 0);
        CHECK(post(qp, wr) == 0);
        if (g_shared) CHECK(pthread_mutex_unlock(&g_lock) == 0);
    }

    /// Takes what has come, and returns the messages that are in it; waits for an event if there is nothing.
    int take() const {
        int messages = 0;
        ibv_wc wc{};
        for (int came = ibv_poll_cq(cq, 1, &wc); came != 0; came = ibv_poll_cq(cq, 1, &wc)) {
            CHECK(came == 1 && wc.status == IBV_WC_SUCCESS);
            messages += (wc.opcode & IBV_WC_RECV) != 0 ? 1 : 0;
        }
        return messages;
    }
    void wait() const {
        epoll_event event{};
        CHECK(::epoll_wait(epoll, &event, 1, -1) == 1);
        ibv_cq* of = nullptr;
        void* context = nullptr;
        CHECK(ibv_get_cq_event(channel, &of, &context) == 0 && of == cq);
        ibv_ack_cq_events(cq, 1);
        CHECK(ibv_req_notify_cq(cq, 0) == 0);
    }

    void destroy() const {
        CHECK(ibv_destroy_qp(qp) == 0 && ibv_destroy_cq(cq) == 0 && ibv_destroy_comp_channel(channel) == 0);
        ::close(epoll);
    }

    void run() {
        if (first) send();
        for (int messages = 0; messages < kRounds;) {
            wait();
            for (int left = take(); left > 0; --left) {
                ++messages;
                receive();
                if (!first || messages < kRounds) send();
            }
        }
        ended = now();
    }
};

}  // namespace
}  // namespace calls

int main(int count, char** words) {
    using namespace calls;
    CHECK(count >= 4);
    const auto peer = static_cast<unsigned>(std::stoi(words[1]));
    const bool first = std::string(words[3]) == "connect";
    g_shared = count == 5;
    const Line line(static_cast<std::uint16_t>(std::stoi(words[2])), !first);
    const Opened card;
    static std::array<Worker, kThreads> all;
    for (std::size_t i = 0; i < kThreads; ++i) {
        Worker& each = all.at(i);
        each.first = first;
        each.make(card, i);
        connect_to(each.qp, peer, line.exchange({each.qp->qp_num, card.mr->rkey, 0}));
        for (int r = 0; r < 4; ++r) each.receive();
    }
    line.meet();
    const std::int64_t begun = now();
    for (Worker& each : all) {
        CHECK(pthread_create(
                  &each.thread, nullptr,
                  [](void* of) -> void* {
                      static_cast<Worker*>(of)->run();
                      return nullptr;
                  },
                  &each) == 0);
    }
    for (Worker& each : all) CHECK(pthread_join(each.thread, nullptr) == 0);
    std::printf("%s begun %lld ns\n", first ? "connect" : "listen", static_cast<long long>(begun));
    line.meet();
    for (const Worker& each : all) each.destroy();
    for (const Worker& each : all)
        std::printf("%s %zu %lld ns\n", first ? "connect" : "listen", each.number, static_cast<long long>(each.ended));
    return 0;
}
