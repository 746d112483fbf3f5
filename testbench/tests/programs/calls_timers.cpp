// SPDX-License-Identifier: Apache-2.0
// alarm() and setitimer() in simulated time: programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>

namespace {

using namespace calls;

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now() {
    timespec time{};
    CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
    return time.tv_sec * kSecond + time.tv_nsec;
}

/// Looks at clocks take 20 ns each.
bool is_about(std::int64_t value, std::int64_t expected) { return value >= expected && value <= expected + 100; }

constexpr int kMost = 5;
volatile sig_atomic_t g_times = 0;
std::array<volatile std::int64_t, kMost> g_at{};

void note() {
    CHECK(g_times < kMost);
    g_at[static_cast<unsigned>(g_times)] = now();
    g_times = g_times + 1;
}

void start(std::int64_t first_us, std::int64_t again_us) {
    const itimerval value{{again_us / 1'000'000, again_us % 1'000'000}, {first_us / 1'000'000, first_us % 1'000'000}};
    CHECK(setitimer(ITIMER_REAL, &value, nullptr) == 0);
}

void handle(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    CHECK(sigaction(SIGALRM, &action, nullptr) == 0);
}

CALLS_CASE(timer_pause, "a timer ends a pause, at its time") {
    handle([](int) { note(); });
    const std::int64_t begun = now();
    start(50'000, 0);
    CHECK(pause() == -1 && errno == EINTR);
    CHECK(g_times == 1 && is_about(g_at[0], begun + 50'000'000));
    CHECK(is_about(now(), begun + 50'000'000));
}

CALLS_CASE(timer_again, "a timer comes again and again while its thread polls, at its times") {
    const Opened card;
    handle([](int) {
        note();
        if (g_times == kMost) start(0, 0);
    });
    const std::int64_t begun = now();
    start(3, 10);
    ibv_wc entry{};
    while (g_times < kMost) CHECK(ibv_poll_cq(card.cq, 1, &entry) == 0);
    for (int i = 0; i < kMost; ++i)
        CHECK(is_about(g_at[static_cast<unsigned>(i)], begun + 3000 + i * std::int64_t{10'000}));
    CHECK(usleep(1000) == 0 && g_times == kMost);
}

CALLS_CASE(timer_handler, "a handler sets the next one, whatever its thread has asked for") {
    const Opened card;
    handle([](int) {
        note();
        if (g_times < kMost) CHECK(alarm(1) == 0);
    });
    const std::int64_t begun = now();
    CHECK(alarm(1) == 0);
    ibv_wc entry{};
    while (g_times < kMost) CHECK(ibv_poll_cq(card.cq, 1, &entry) == 0);
    for (int i = 0; i < kMost; ++i) CHECK(is_about(g_at[static_cast<unsigned>(i)], begun + (i + 1) * kSecond));
}

CALLS_CASE(timer_wait, "a timer ends a wait for a channel") {
    const Opened card;
    ibv_comp_channel* const channel = ibv_create_comp_channel(card.context);
    CHECK(channel != nullptr);
    handle([](int) { note(); });
    const std::int64_t begun = now();
    start(2000, 0);
    pollfd one{channel->fd, POLLIN, 0};
    CHECK(poll(&one, 1, -1) == -1 && errno == EINTR);
    CHECK(g_times == 1 && is_about(now(), begun + 2'000'000));
    CHECK(ibv_destroy_comp_channel(channel) == 0);
}

CALLS_CASE(timer_computing, "a timer ends a computation that waits for it") {
    handle([](int) { note(); });
    const std::int64_t begun = now();
    start(2000, 0);
    while (g_times == 0) {}
    CHECK(is_about(g_at[0], begun + 2'000'000));
}

CALLS_CASE(timer_left, "what is left of a timer") {
    handle([](int) { note(); });
    itimerval value{};
    CHECK(getitimer(ITIMER_REAL, &value) == 0 && value.it_value.tv_sec == 0 && value.it_value.tv_usec == 0);
    CHECK(alarm(100) == 0 && sleep(10) == 0);
    CHECK(getitimer(ITIMER_REAL, &value) == 0 && value.it_value.tv_sec == 90 && value.it_value.tv_usec == 0);
    CHECK(value.it_interval.tv_sec == 0 && value.it_interval.tv_usec == 0);
    CHECK(alarm(0) == 90 && alarm(0) == 0 && sleep(200) == 0 && g_times == 0);
    CHECK(ualarm(500, 300) == 0 && ualarm(0, 0) == 500);
    value = {{0, 0}, {0, 1'000'000}};
    CHECK(setitimer(ITIMER_REAL, &value, nullptr) == -1 && errno == EINVAL);
    // One of processor time is the machine's.
    CHECK(getitimer(ITIMER_VIRTUAL, &value) == 0);
}

CALLS_CASE(timer_child, "a forked child has none, its parent keeps its own") {
    handle([](int) { note(); });
    const std::int64_t begun = now();
    start(5000, 0);
    const pid_t child = fork();
    if (child == 0) {
        itimerval value{};
        const bool none =
            getitimer(ITIMER_REAL, &value) == 0 && value.it_value.tv_sec == 0 && value.it_value.tv_usec == 0;
        _exit(none && usleep(20'000) == 0 && g_times == 0 ? 0 : 1);
    }
    int status = 1;
    while (waitpid(child, &status, 0) != child) CHECK(errno == EINTR);
    CHECK(status == 0 && g_times == 1 && is_about(g_at[0], begun + 5'000'000));
}

}  // namespace
