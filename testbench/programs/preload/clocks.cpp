// SPDX-License-Identifier: Apache-2.0
// Clocks of libc as a program sees them. Those that count what a process or a thread computes are the machine's.
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"

#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>

#include <cerrno>

using namespace rnicsim::programs;

namespace {

bool is_of_time(clockid_t clock) {
    switch (clock) {
        case CLOCK_REALTIME:
        case CLOCK_MONOTONIC:
        case CLOCK_MONOTONIC_RAW:
        case CLOCK_REALTIME_COARSE:
        case CLOCK_MONOTONIC_COARSE:
        case CLOCK_BOOTTIME:
        case CLOCK_TAI: return true;
        default: return false;
    }
}

bool is_slept_by(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

/// CLOCK_REALTIME.
timespec date() {
    if (has_simulated_time()) return timespec_of(date_of(read_clock()));
    timespec now{};
    raw::clock(CLOCK_REALTIME, now);
    return now;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* to) noexcept {
    if (!is_of_time(clock) || !has_simulated_time()) return raw::clock(clock, *to);
    *to = timespec_of(date_of(read_clock()));
    return 0;
}

int gettimeofday(timeval* to, void* zone) noexcept {
    const timespec now = date();
    timeval* volatile const given = to;  // null is taken, though libc's header says that it is not
    if (given != nullptr) *given = {now.tv_sec, now.tv_nsec / 1000};
    if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
    return 0;
}

time_t time(time_t* to) noexcept {
    const time_t now = date().tv_sec;
    if (to != nullptr) *to = now;
    return now;
}

int timespec_get(timespec* to, int base) noexcept {
    if (base != TIME_UTC) return 0;
    *to = date();
    return base;
}

/// The ticks that have passed are of simulated time, those that the process has computed are the machine's.
clock_t times(tms* to) noexcept {
    const clock_t of_machine = raw::times(to);
    if (of_machine == -1 || !has_simulated_time()) return of_machine;
    return date_of(read_clock()) / (kNsPerSecond / ::sysconf(_SC_CLK_TCK));
}

// Sleeps. A signal does not end one.

int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* left) {
    const int before = errno;
    if (!is_slept_by(clock) || !has_simulated_time() || !raw::has(request, sizeof *request)) {
        // As libc, which has no system call for it.
        const int error = clock == CLOCK_THREAD_CPUTIME_ID ? EINVAL : raw::sleep(clock, flags, request, left);
        errno = before;
        return error;
    }
    std::int64_t longest = ps_of(*request);
    if (longest < 0) return EINVAL;
    if ((flags & TIMER_ABSTIME) != 0) {
        const std::int64_t until = request->tv_sec * kNsPerSecond + request->tv_nsec;
        const std::int64_t now = date_of(read_clock());
        if (until <= now) return 0;
        longest = ps_of(timespec_of(until - now));
    }
    if (sleep_simulated(longest)) return 0;
    const timespec real = timespec_of(longest / kPsPerNs);
    return raw::sleep(CLOCK_MONOTONIC, 0, &real, left);
}

int nanosleep(const timespec* request, timespec* left) {
    const int error = clock_nanosleep(CLOCK_REALTIME, 0, request, left);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

int usleep(useconds_t microseconds) {
    const timespec request = timespec_of(microseconds * std::int64_t{1000});
    return nanosleep(&request, nullptr);
}

unsigned sleep(unsigned seconds) {
    const timespec request{static_cast<time_t>(seconds), 0};
    timespec left{};
    return nanosleep(&request, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec);
}
}
