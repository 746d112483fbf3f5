// SPDX-License-Identifier: Apache-2.0
// Waiting for signals, which come from outside or from a timer of the process: in simulated time where there is one, or
// a timeout.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/own_timers.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"
#include "testbench/programs/preload/waits.h"

#include <algorithm>
#include <cerrno>

using namespace rnicsim::programs;

namespace {

Next<int()> g_pause("pause");
Next<int(const sigset_t*)> g_sigsuspend("sigsuspend");
Next<int(const sigset_t*, int*)> g_sigwait("sigwait");
Next<int(const sigset_t*, siginfo_t*)> g_sigwaitinfo("sigwaitinfo");
Next<int(const sigset_t*, siginfo_t*, const timespec*)> g_sigtimedwait("sigtimedwait");

int look(const sigset_t* set, siginfo_t* info) {
    constexpr timespec kNone{};
    return g_sigtimedwait(set, info, &kNone);
}

/// The signal, or -1 and errno.
int take(const sigset_t* set, siginfo_t* info, std::optional<std::int64_t> longest) {
    const int before = errno;
    const int early = look(set, info);
    if (early >= 0 || errno != EAGAIN) return early;
    const auto waker = static_cast<int>(::syscall(SYS_signalfd4, -1, set, _NSIG / 8, O_CLOEXEC));
    if (waker < 0) return g_sigtimedwait(set, info, nullptr);
    int result = -1, error = EAGAIN;
    for (bool over = false; !over;) {
        pollfd one{waker, POLLIN, 0};
        const int ready = poll_simulated(&one, 1, longest, nullptr, Pace::machine);
        if (ready < 0) {
            error = errno;
            break;
        }
        result = look(set, info);
        error = errno;
        over = result >= 0 || error != EAGAIN || ready == 0;  // another thread may have taken it
    }
    raw::close(waker);
    errno = result >= 0 ? before : error;
    return result;
}

bool waits_for_timer() { return can_wait() && awaits_signal(); }

}  // namespace

extern "C" {

int pause() {
    if (!waits_for_timer()) return g_pause();
    return poll_simulated(nullptr, 0, std::nullopt, nullptr, Pace::machine);
}

int sigsuspend(const sigset_t* mask) {
    if (!waits_for_timer()) return g_sigsuspend(mask);
    return poll_simulated(nullptr, 0, std::nullopt, mask, Pace::machine);
}

int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
    return waits_for_timer() ? take(set, info, std::nullopt) : g_sigwaitinfo(set, info);
}

int sigwait(const sigset_t* set, int* signal) {
    if (!waits_for_timer()) return g_sigwait(set, signal);
    for (;;) {
        siginfo_t info{};
        const int got = take(set, &info, std::nullopt);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        *signal = got;
        return 0;
    }
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
    if (time == nullptr) return ::sigwaitinfo(set, info);
    if (!raw::has(time, sizeof *time) || ps_of(*time) <= 0 || !can_wait()) return g_sigtimedwait(set, info, time);
    return take(set, info, ps_of(*time));
}
}
