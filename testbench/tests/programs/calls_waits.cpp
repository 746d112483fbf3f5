// SPDX-License-Identifier: Apache-2.0
// What programs wait for, and how long that takes: programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>
#include <initializer_list>

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

constexpr std::int64_t kSecond = 1'000'000'000, kMs = 1'000'000;

std::int64_t now() {
    timespec time{};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    return time.tv_sec * kSecond + time.tv_nsec;
}
timespec time_of(std::int64_t ns) { return {ns / kSecond, ns % kSecond}; }
/// Looks at clocks, and being seen to be blocked, take some.
bool is_about(std::int64_t value, std::int64_t expected) { return value >= expected && value <= expected + 1000; }

CALLS_CASE(outside, "a wait for a descriptor of the system's takes the time that it says, and not none") {
    std::array<int, 2> ends{};
    CHECK(pipe(ends.data()) == 0);
    const int epoll = epoll_create1(0);
    epoll_event event{EPOLLIN, {.u32 = 77}};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    std::int64_t begun = now();
    CHECK(epoll_wait(epoll, &event, 1, 30) == 0 && is_about(now() - begun, 30 * kMs));
    begun = now();
    timespec time = time_of(3 * kMs);
    CHECK(epoll_pwait2(epoll, &event, 1, &time, nullptr) == 0 && is_about(now() - begun, 3 * kMs));
    pollfd one{ends[0], POLLIN, 0};
    begun = now();
    CHECK(poll(&one, 1, 5) == 0 && is_about(now() - begun, 5 * kMs));
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(ends[0], &reads);
    timeval longest{0, 7000};
    begun = now();
    CHECK(select(ends[0] + 1, &reads, nullptr, nullptr, &longest) == 0 && is_about(now() - begun, 7 * kMs));
    CHECK(longest.tv_sec == 0 && longest.tv_usec == 0);
    // Without descriptors they are sleeps.
    begun = now();
    longest = {100, 0};
    CHECK(select(0, nullptr, nullptr, nullptr, &longest) == 0 && poll(nullptr, 0, 50'000) == 0);
    CHECK(is_about(now() - begun, 150 * kSecond));
    // What is there comes at once.
    CHECK(write(ends[1], "x", 1) == 1);
    begun = now();
    CHECK(poll(&one, 1, 1000) == 1 && epoll_wait(epoll, &event, 1, 1000) == 1 && event.data.u32 == 77);
    CHECK(is_about(now() - begun, 0));
}

CALLS_CASE(outside_loop, "who looks again and again until a time has come gets there") {
    const int epoll = epoll_create1(0);
    epoll_event event{};
    const std::int64_t begun = now(), until = begun + 20 * kMs;
    int looks = 0;
    for (; now() < until; ++looks) {
        const std::int64_t left = (until - now()) / kMs;
        CHECK(epoll_wait(epoll, &event, 1, left < 1 ? 1 : static_cast<int>(left)) == 0);
    }
    CHECK(looks <= 3 && now() - until <= kMs + 1000);
    for (looks = 0; now() < until + 20 * kMs && looks < 100'000; ++looks) CHECK(epoll_wait(epoll, &event, 1, 0) == 0);
    CHECK(looks < 10'000);
}

void* write_soon(void* pipe) {
    usleep(3000);
    CHECK(write(*static_cast<int*>(pipe), "x", 1) == 1);
    return nullptr;
}

CALLS_CASE(outside_wakes, "what waits for a pipe and not longer than a time is woken by another thread, at its time") {
    std::array<int, 2> ends{};
    CHECK(pipe(ends.data()) == 0);
    const std::int64_t begun = now();
    pthread_t writer{};
    CHECK(pthread_create(&writer, nullptr, write_soon, &ends[1]) == 0);
    pollfd one{ends[0], POLLIN, 0};
    CHECK(poll(&one, 1, 60'000) == 1);
    CHECK(is_about(now() - begun, 3 * kMs));
    CHECK(pthread_join(writer, nullptr) == 0);
}

CALLS_CASE(timerfd, "a timerfd counts simulated time: blocking, polled, at a date, again and again") {
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    CHECK(timer >= 0);
    std::int64_t begun = now();
    itimerspec value{{}, time_of(100 * kSecond)}, rest{};
    CHECK(timerfd_settime(timer, 0, &value, nullptr) == 0);
    std::uint64_t count = 0;
    CHECK(read(timer, &count, sizeof count) == sizeof count && count == 1);
    CHECK(is_about(now() - begun, 100 * kSecond));

    begun = now();
    value = {time_of(10 * kMs), time_of(30 * kMs)};
    CHECK(timerfd_settime(timer, 0, &value, &rest) == 0 && rest.it_value.tv_sec == 0 && rest.it_value.tv_nsec == 0);
    pollfd one{timer, POLLIN, 0};
    CHECK(poll(&one, 1, 20) == 0 && is_about(now() - begun, 20 * kMs));
    CHECK(timerfd_gettime(timer, &rest) == 0 && rest.it_interval.tv_nsec == 10 * kMs);
    CHECK(rest.it_value.tv_nsec <= 10 * kMs && rest.it_value.tv_nsec > 9 * kMs);
    CHECK(poll(&one, 1, -1) == 1 && one.revents == POLLIN && is_about(now() - begun, 30 * kMs));
    usleep(25'000);
    CHECK(read(timer, &count, sizeof count) == sizeof count && count == 3);  // at 30, 40 and 50 ms

    const int epoll = epoll_create1(0);
    epoll_event event{EPOLLIN, {.u32 = 5}};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
    value = {{}, time_of(begun + 3600 * kSecond)};
    CHECK(timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, nullptr) == 0);
    CHECK(epoll_wait(epoll, &event, 1, 10'000'000) == 1 && epoll_wait(epoll, &event, 1, -1) == 1);
    CHECK(is_about(now(), begun + 3600 * kSecond));
    value = {};
    CHECK(timerfd_settime(timer, 0, &value, nullptr) == 0);  // what it has counted is gone
    CHECK(epoll_wait(epoll, &event, 1, 100) == 0 && fcntl(timer, F_SETFL, O_NONBLOCK) == 0);
    CHECK(read(timer, &count, sizeof count) == -1 && errno == EAGAIN);
    value = {{}, {0, kSecond}};
    CHECK(timerfd_settime(timer, 0, &value, nullptr) == -1 && errno == EINVAL);
    CHECK(close(timer) == 0);
}

std::atomic<int> g_calls{0};
std::atomic<std::int64_t> g_called_at{0};
std::atomic<int> g_value{0};

timer_t timer_with(int notify, int signal, int value) {
    sigevent event{};
    event.sigev_notify = notify;
    event.sigev_signo = signal;
    event.sigev_value.sival_int = value;
    event.sigev_notify_function = [](sigval with) {
        g_called_at = now();
        g_value = with.sival_int;
        ++g_calls;
    };
    timer_t made{};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &made) == 0);
    return made;
}

CALLS_CASE(timer_signal, "a timer of timer_create() sends its signal with its value, at its time") {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
        g_called_at = now();
        g_value = info->si_code == SI_TIMER ? info->si_value.sival_int : -1;
        ++g_calls;
    };
    CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
    timer_t const timer = timer_with(SIGEV_SIGNAL, SIGUSR1, 42);
    const std::int64_t begun = now();
    itimerspec value{time_of(kSecond), time_of(20 * kSecond)}, rest{};
    CHECK(timer_settime(timer, 0, &value, nullptr) == 0);
    CHECK(pause() == -1 && errno == EINTR && g_calls == 1 && g_value == 42);
    CHECK(is_about(g_called_at, begun + 20 * kSecond));
    CHECK(timer_gettime(timer, &rest) == 0 && rest.it_interval.tv_sec == 1 && rest.it_value.tv_nsec > kSecond / 2);
    CHECK(timer_getoverrun(timer) == 0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    siginfo_t info{};
    CHECK(sigwaitinfo(&set, &info) == SIGUSR1 && is_about(now(), begun + 21 * kSecond));
    value = {};
    CHECK(timer_settime(timer, 0, &value, nullptr) == 0 && timer_delete(timer) == 0);
    CHECK(timer_settime(timer, 0, &value, nullptr) == -1 && errno == EINVAL);
    const timespec longest = time_of(4 * kMs);
    const std::int64_t waited = now();
    CHECK(sigtimedwait(&set, &info, &longest) == -1 && errno == EAGAIN && is_about(now() - waited, 4 * kMs));
}

CALLS_CASE(timer_thread, "a timer of timer_create() calls a function in a thread, at its times") {
    timer_t const timer = timer_with(SIGEV_THREAD, 0, 7);
    const std::int64_t begun = now();
    const itimerspec value{time_of(kSecond), time_of(10 * kSecond)};
    CHECK(timer_settime(timer, 0, &value, nullptr) == 0);
    sleep(11);
    usleep(500'000);
    CHECK(g_calls == 2 && g_value == 7 && is_about(g_called_at, begun + 11 * kSecond));
    CHECK(timer_delete(timer) == 0);
    sleep(10);
    CHECK(g_calls == 2);
}

CALLS_CASE(receive_timeout, "a timeout for receiving is simulated time") {
    std::array<int, 2> ends{};
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const timeval longest{0, 30'000};
    CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) == 0);
    timeval got{};
    socklen_t room = sizeof got;
    CHECK(getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &got, &room) == 0 && got.tv_usec == 30'000 && got.tv_sec == 0);
    char byte = 0;
    std::int64_t begun = now();
    CHECK(recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN && is_about(now() - begun, 30 * kMs));
    begun = now();
    CHECK(read(ends[0], &byte, 1) == -1 && errno == EAGAIN && is_about(now() - begun, 30 * kMs));
    CHECK(write(ends[1], "y", 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 'y');
    const timeval none{};
    CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none) == 0);
    pthread_t writer{};
    begun = now();
    CHECK(pthread_create(&writer, nullptr, write_soon, &ends[1]) == 0);
    CHECK(read(ends[0], &byte, 1) == 1 && is_about(now() - begun, 3 * kMs) && pthread_join(writer, nullptr) == 0);
}

CALLS_CASE(more_timeouts, "locks of readers and writers and C11's waits take simulated time, too") {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    CHECK(pthread_rwlock_wrlock(&lock) == 0);
    struct Held {
        pthread_rwlock_t* lock;
        std::int64_t took = 0;
    } held{&lock};
    pthread_t other{};
    const auto wait = [](void* of) -> void* {
        auto& one = *static_cast<Held*>(of);
        const std::int64_t begun = now();
        const timespec until = time_of(begun + 20 * kMs);
        CHECK(pthread_rwlock_timedrdlock(one.lock, &until) == ETIMEDOUT);
        one.took = now() - begun;
        return nullptr;
    };
    CHECK(pthread_create(&other, nullptr, wait, &held) == 0 && pthread_join(other, nullptr) == 0);
    CHECK(held.took >= 20 * kMs && held.took < 25 * kMs);
    mtx_t mutex;
    cnd_t condition;
    CHECK(mtx_init(&mutex, mtx_timed) == thrd_success && cnd_init(&condition) == thrd_success);
    CHECK(mtx_lock(&mutex) == thrd_success);
    timespec until{};
    CHECK(timespec_get(&until, TIME_UTC) == TIME_UTC);
    until.tv_sec += 1;
    until.tv_nsec = 0;
    const std::int64_t begun = now();
    const timespec rest = time_of(3600 * kSecond);
    CHECK(thrd_sleep(&rest, nullptr) == 0 && is_about(now() - begun, 3600 * kSecond));
    CHECK(cnd_timedwait(&condition, &mutex, &until) == thrd_timedout);  // that is over
}

}  // namespace
