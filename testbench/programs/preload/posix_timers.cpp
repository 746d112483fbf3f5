// SPDX-License-Identifier: Apache-2.0
// timer_create() and what goes with it in simulated time: the simulator sends the signal, or counts for a thread that
// calls a function.
#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/own_timers.h"
#include "testbench/programs/preload/raw.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace rnicsim::programs {
namespace {

Next<int(clockid_t, sigevent*, timer_t*)> g_create("timer_create");
Next<int(timer_t, int, const itimerspec*, itimerspec*)> g_settime("timer_settime");
Next<int(timer_t, itimerspec*)> g_gettime("timer_gettime");
Next<int(timer_t)> g_overrun("timer_getoverrun"), g_delete("timer_delete");

struct PosixTimer {
    OwnTimer timer;
    std::atomic<int> of{0};  ///< the process; 0: free. A forked child has none
    bool signals = false;
    std::atomic<bool> deleted{false};  ///< its thread is to end
    int counts = -1;                   ///< SIGEV_THREAD
    sigevent event{};
};
constexpr std::size_t kMost = 1024;
constinit std::array<PosixTimer, kMost> g_timers{};
std::atomic<bool> g_any{false};

int process() { return static_cast<int>(::syscall(SYS_getpid)); }
int fail(int error) {
    errno = error;
    return -1;
}

/// A handler may ask: nothing but comparisons.
PosixTimer* ours(timer_t id) {
    auto* const timer = static_cast<PosixTimer*>(id);
    const bool within = timer >= g_timers.data() && timer < g_timers.data() + kMost;
    return within ? timer : nullptr;
}
PosixTimer* usable(timer_t id) {
    PosixTimer* const timer = ours(id);
    return timer != nullptr && timer->of.load() == process() && !timer->deleted.load() ? timer : nullptr;
}

PosixTimer* take_free() {
    const int mine = process();
    for (PosixTimer& each : g_timers) {
        int before = each.of.load();
        if (before != mine && each.of.compare_exchange_strong(before, mine)) {
            g_any.store(true);
            each.deleted.store(false);
            each.counts = -1;
            return &each;
        }
    }
    return nullptr;
}

void* call(void* of) {
    const auto event = *static_cast<sigevent*>(of);
    std::free(of);
    event.sigev_notify_function(event.sigev_value);
    return nullptr;
}

/// Each time in a thread of its own, which may end itself.
void* wait_and_call(void* of) {
    auto& timer = *static_cast<PosixTimer*>(of);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (;;) {
        std::uint64_t count = 0;
        const ssize_t got = ::read(timer.counts, &count, sizeof count);  // in simulated time
        if (timer.deleted.load() || (got < 0 && errno != EINTR)) break;
        if (got != sizeof count) continue;
        auto* const event = static_cast<sigevent*>(std::malloc(sizeof(sigevent)));
        if (event == nullptr) continue;
        *event = timer.event;
        pthread_t thread{};
        if (pthread_create(&thread, timer.event.sigev_notify_attributes, call, event) != 0)
            std::free(event);
        else
            pthread_detach(thread);
    }
    ::close(timer.counts);
    timer.of.store(0);
    return nullptr;
}

int start_thread(PosixTimer& timer) {
    pthread_t thread{};
    const int error = pthread_create(&thread, nullptr, wait_and_call, &timer);
    if (error == 0) pthread_detach(thread);
    return error;
}

}  // namespace

bool own_timer_signals() {
    if (!g_any.load()) return false;
    const int mine = process();
    for (const PosixTimer& each : g_timers) {
        if (each.of.load(std::memory_order_relaxed) == mine && each.signals && runs(each.timer)) return true;
    }
    return false;
}

}  // namespace rnicsim::programs

using namespace rnicsim::programs;

extern "C" {

int timer_create(clockid_t clock, sigevent* event, timer_t* id) noexcept {
    if (!has_own_timers(clock)) return g_create(clock, event, id);
    const int notify = event == nullptr ? SIGEV_SIGNAL : event->sigev_notify;
    if (notify != SIGEV_SIGNAL && notify != SIGEV_THREAD && notify != SIGEV_THREAD_ID && notify != SIGEV_NONE)
        return fail(EINVAL);
    PosixTimer* const timer = take_free();
    if (timer == nullptr) return fail(EAGAIN);
    sigevent wanted{};
    wanted.sigev_signo = SIGALRM;
    wanted.sigev_value.sival_ptr = timer;
    if (event != nullptr) wanted = *event;
    timer->event = wanted;
    timer->signals = notify == SIGEV_SIGNAL || notify == SIGEV_THREAD_ID;
    TimerInit init;
    init.signal = timer->signals ? wanted.sigev_signo : 0;
    init.value = reinterpret_cast<std::uintptr_t>(wanted.sigev_value.sival_ptr);
    if (notify == SIGEV_THREAD_ID) init.thread = wanted._sigev_un._tid;
    int error = make_timer(timer->timer, init, timer->signals ? nullptr : &timer->counts);
    if (error == 0 && notify == SIGEV_THREAD) error = start_thread(*timer);
    if (error != 0) {
        free_timer(timer->timer);
        timer->of.store(0);
        return fail(error);
    }
    *id = timer;
    return 0;
}

int timer_settime(timer_t id, int flags, const itimerspec* to, itimerspec* old) noexcept {
    if (ours(id) == nullptr) return g_settime(id, flags, to, old);
    PosixTimer* const timer = usable(id);
    if (timer == nullptr || to == nullptr) return fail(EINVAL);
    const int error = set_timer(timer->timer, (flags & TIMER_ABSTIME) != 0, *to, old);
    return error == 0 ? 0 : fail(error);
}

int timer_gettime(timer_t id, itimerspec* to) noexcept {
    if (ours(id) == nullptr) return g_gettime(id, to);
    const PosixTimer* const timer = usable(id);
    if (timer == nullptr) return fail(EINVAL);
    *to = rest_of(timer->timer);
    return 0;
}

/// Time stands still while a handler runs: none comes meanwhile.
int timer_getoverrun(timer_t id) noexcept {
    if (ours(id) == nullptr) return g_overrun(id);
    return usable(id) == nullptr ? fail(EINVAL) : 0;
}

int timer_delete(timer_t id) noexcept {
    if (ours(id) == nullptr) return g_delete(id);
    PosixTimer* const timer = usable(id);
    if (timer == nullptr) return fail(EINVAL);
    const bool has_thread = timer->event.sigev_notify == SIGEV_THREAD;
    timer->deleted.store(true);
    free_timer(timer->timer);  // which wakes its thread
    if (has_thread) return 0;
    if (timer->counts >= 0) ::close(timer->counts);
    timer->of.store(0);
    return 0;
}
}
