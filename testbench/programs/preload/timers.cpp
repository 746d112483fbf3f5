// SPDX-License-Identifier: Apache-2.0
// alarm() and its like in simulated time: the simulator sends SIGALRM. What is left of a timer is known here, and to
// set one has no answer, so that a handler may do both whatever its thread is about.
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/own_timers.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"

#include <sys/time.h>

#include <algorithm>
#include <cerrno>

using namespace rnicsim::programs;

namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;
constexpr std::int64_t kPsPerUs = 1'000'000;
constexpr std::int64_t kMostSeconds = 1'000'000;  // what is longer is as long

Next<int(int, const itimerval*, itimerval*)> g_setitimer("setitimer");
Next<int(int, itimerval*)> g_getitimer("getitimer");

/// Of the process `of`: a forked child has none.
struct {
    std::atomic<int> of{0};
    std::atomic<std::int64_t> due{0};    ///< ps; 0: none
    std::atomic<std::int64_t> again{0};  ///< ps
} g_timer;

int process() { return static_cast<int>(::syscall(SYS_getpid)); }

std::int64_t now() {
    Connection& connection = thread_connection();
    return connection.clock = std::max(connection.clock, simulated_now());
}

itimerval value_of(std::int64_t left, std::int64_t again) {
    const auto parts = [](std::int64_t ps) {
        const std::int64_t us = ps / kPsPerUs;
        return timeval{us / kUsPerSecond, us % kUsPerSecond};
    };
    return {parts(again), parts(left)};
}

itimerval left() {
    const std::int64_t again = g_timer.again.load();
    const std::int64_t since = now() - g_timer.due.load();
    if (g_timer.of.load() != process() || g_timer.due.load() == 0 || (since >= 0 && again == 0)) return {};
    // One that is on is never 0.
    return value_of(std::max(since < 0 ? -since : again - since % again, kPsPerUs), again);
}

bool is_time(const timeval& time) { return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < kUsPerSecond; }
std::int64_t ps_of_timeval(const timeval& time) {
    return std::min<std::int64_t>(time.tv_sec, kMostSeconds) * kPsPerSecond + time.tv_usec * kPsPerUs;
}

/// 0 or an errno.
int set(const timeval& first, const timeval& again) {
    Connection& connection = thread_connection();
    if (connection.fd < 0) return EIO;
    const Timer timer{ps_of_timeval(first), ps_of_timeval(again)};
    g_timer.of.store(process());
    g_timer.again.store(timer.again);
    g_timer.due.store(timer.first == 0 ? 0 : now() + timer.first);
    const iovec part{const_cast<Timer*>(&timer), sizeof timer};
    return send_request(connection, Op::set_timer, &part, 1);
}

/// The old one's rest in seconds, as alarm() rounds.
unsigned seconds_of(const timeval& rest) {
    const bool up = rest.tv_usec >= kUsPerSecond / 2 || (rest.tv_sec == 0 && rest.tv_usec > 0);
    return static_cast<unsigned>(rest.tv_sec + (up ? 1 : 0));
}

}  // namespace

namespace rnicsim::programs {

bool awaits_signal() {
    const itimerval rest = left();
    return rest.it_value.tv_sec != 0 || rest.it_value.tv_usec != 0 || own_timer_signals();
}

}  // namespace rnicsim::programs

extern "C" {

int setitimer(int which, const itimerval* value, itimerval* old) noexcept {
    if (which != ITIMER_REAL || value == nullptr || !raw::has(value, sizeof *value) || !has_simulated_time() ||
        simulator_gone())
        return g_setitimer(which, value, old);
    if (!is_time(value->it_value) || !is_time(value->it_interval)) {
        errno = EINVAL;
        return -1;
    }
    if (old != nullptr && g_getitimer(which, old) != 0) return -1;
    if (old != nullptr) *old = left();
    if (set(value->it_value, value->it_interval) == 0) return 0;
    return g_setitimer(which, value, nullptr);
}

int getitimer(int which, itimerval* value) noexcept {
    if (which != ITIMER_REAL || !has_simulated_time() || simulator_gone()) return g_getitimer(which, value);
    if (g_getitimer(which, value) != 0) return -1;
    *value = left();
    return 0;
}

unsigned alarm(unsigned seconds) noexcept {
    const itimerval value{{}, {static_cast<time_t>(seconds), 0}};
    itimerval old{};
    setitimer(ITIMER_REAL, &value, &old);
    return seconds_of(old.it_value);
}

useconds_t ualarm(useconds_t first, useconds_t again) noexcept {
    const itimerval value{{0, again}, {0, first}};
    itimerval old{};
    if (setitimer(ITIMER_REAL, &value, &old) != 0) return static_cast<useconds_t>(-1);
    return static_cast<useconds_t>(old.it_value.tv_sec * kUsPerSecond + old.it_value.tv_usec);
}
}
