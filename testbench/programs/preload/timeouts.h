// SPDX-License-Identifier: Apache-2.0
// Waiting for others no longer than until a time that the program has made of a clock: in strict mode that is a time of
// the simulation, which the machine's clocks know nothing of. The machine's time passes instead, as long; who has
// waited in vain has then waited in simulated time, too.
#pragma once

#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"

#include <algorithm>
#include <cerrno>

namespace rnicsim::programs {

/// `wait`: until a time of the machine's clock `of`; returns what `failed` takes for a timeout, or not.
template <class Wait, class Failed>
int wait_until(const timespec& until, Wait wait, Failed failed, clockid_t of = CLOCK_MONOTONIC) {
    if (until.tv_nsec < 0 || until.tv_nsec >= kNsPerSecond) return wait(until);  // EINVAL, if it has to wait
    const std::int64_t left =
        std::max<std::int64_t>(until.tv_sec * kNsPerSecond + until.tv_nsec - date_of(read_clock()), 0);
    timespec machine{};
    raw::clock(of, machine);
    machine = timespec_of(machine.tv_sec * kNsPerSecond + machine.tv_nsec + std::min(left, kNsPerSecond * 1'000'000));
    const int result = wait(machine);
    if (!failed(result)) return result;
    const int error = errno;
    const std::int64_t rest = until.tv_sec * kNsPerSecond + until.tv_nsec - date_of(read_clock());
    if (rest > 0) sleep_simulated(ps_of(timespec_of(rest)));
    errno = error;
    return result;
}

/// Those that libc waits by; others are EINVAL.
inline bool is_waited_by(clockid_t clock) { return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME; }

inline bool says_timeout(int error) { return error == ETIMEDOUT; }
inline bool has_timeout(int result) { return result != 0 && errno == ETIMEDOUT; }

}  // namespace rnicsim::programs
