// SPDX-License-Identifier: Apache-2.0
// timerfd in simulated time: an eventfd in whose count the simulator adds its expirations, as read() of a timerfd
// gives them.
#include "testbench/programs/preload/timerfds.h"

#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/own_timers.h"
#include "testbench/programs/preload/raw.h"

#include <pthread.h>
#include <sys/timerfd.h>

#include <array>

namespace rnicsim::programs {
namespace {

Next<int(int, int)> g_create("timerfd_create");
Next<int(int, int, const itimerspec*, itimerspec*)> g_settime("timerfd_settime");
Next<int(int, itimerspec*)> g_gettime("timerfd_gettime");

constexpr std::size_t kDescriptors = std::size_t{1} << 16U;
constinit std::array<OwnTimer, kDescriptors> g_timers{};  // by descriptor; pages that nobody touches cost nothing
std::atomic<int> g_end{0};                                // above all that have been used

// A forked child has the descriptors; what is set stays its parent's.
void in_child() {
    for (int i = 0; i < g_end.load(); ++i) g_timers[static_cast<std::size_t>(i)].handle.store(0);
}

OwnTimer* timer_of(int descriptor) {
    if (descriptor < 0 || descriptor >= g_end.load(std::memory_order_acquire)) return nullptr;
    OwnTimer& timer = g_timers[static_cast<std::size_t>(descriptor)];
    return timer.handle.load() == 0 ? nullptr : &timer;
}

int fail(int error) {
    errno = error;
    return -1;
}

/// What it has counted is of the setting before.
void forget_count(int descriptor) {
    pollfd look{descriptor, POLLIN, 0};
    const timespec none{};
    if (::syscall(SYS_ppoll, &look, 1, &none, nullptr, 0) != 1) return;
    std::uint64_t count = 0;
    static_cast<void>(::syscall(SYS_read, descriptor, &count, sizeof count));
}

}  // namespace

bool is_timerfd(int descriptor) { return timer_of(descriptor) != nullptr; }

void leave_timerfd(int descriptor) {
    if (OwnTimer* const timer = timer_of(descriptor)) free_timer(*timer);
}

}  // namespace rnicsim::programs

using namespace rnicsim::programs;

extern "C" {

int timerfd_create(int clock, int flags) noexcept {
    if (!has_own_timers(clock) || (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0) return g_create(clock, flags);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { pthread_atfork(nullptr, nullptr, in_child); });
    OwnTimer made;
    int descriptor = -1;
    if (const int error = make_timer(made, {}, &descriptor); error != 0) return fail(error);
    if (static_cast<std::size_t>(descriptor) >= kDescriptors) {
        free_timer(made);
        raw::close(descriptor);
        return fail(EMFILE);
    }
    if ((flags & TFD_NONBLOCK) != 0) ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
    if ((flags & TFD_CLOEXEC) == 0) ::fcntl(descriptor, F_SETFD, 0);
    OwnTimer& timer = g_timers[static_cast<std::size_t>(descriptor)];
    timer.due.store(0);
    timer.again.store(0);
    timer.handle.store(made.handle.load());
    for (int end = g_end.load(); end <= descriptor && !g_end.compare_exchange_weak(end, descriptor + 1);) {}
    return descriptor;
}

int timerfd_settime(int descriptor, int flags, const itimerspec* to, itimerspec* old) noexcept {
    OwnTimer* const timer = timer_of(descriptor);
    if (timer == nullptr || !raw::has(to, sizeof *to)) return g_settime(descriptor, flags, to, old);
    if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) != 0) return fail(EINVAL);
    const int error = set_timer(*timer, (flags & TFD_TIMER_ABSTIME) != 0, *to, old);
    if (error != 0) return fail(error);
    forget_count(descriptor);
    return 0;
}

int timerfd_gettime(int descriptor, itimerspec* to) noexcept {
    const OwnTimer* const timer = timer_of(descriptor);
    if (timer == nullptr) return g_gettime(descriptor, to);
    if (!raw::has(to, sizeof *to)) return fail(EFAULT);
    *to = rest_of(*timer);
    return 0;
}
}
