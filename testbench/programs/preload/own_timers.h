// SPDX-License-Identifier: Apache-2.0
// Timers of a program that the simulator runs, besides ITIMER_REAL: what timerfd_create() and timer_create() make. To
// set one asks for no answer, so that a handler of a signal may do it whatever its thread is about.
#pragma once

#include "testbench/programs/protocol/messages.h"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace rnicsim::programs {

/// No constructor: arrays of them cost nothing until they are used.
struct OwnTimer {
    std::atomic<Handle> handle{0};       ///< 0: none
    std::atomic<std::int64_t> due{0};    ///< ps; 0: it does not run
    std::atomic<std::int64_t> again{0};  ///< ps; 0: once
};

/// Of clocks that show simulated time, in a process that has it.
bool has_own_timers(clockid_t clock);

/// Each returns 0 or an errno. `descriptor`: where a timer that counts in one leaves it; null for one of signals.
int make_timer(OwnTimer& timer, const TimerInit& init, int* descriptor);
int set_timer(OwnTimer& timer, bool absolute, const itimerspec& to, itimerspec* old);
void free_timer(OwnTimer& timer);
/// What is left, and the interval.
itimerspec rest_of(const OwnTimer& timer);
/// It will expire.
bool runs(const OwnTimer& timer);

/// One that timer_create() has made runs, and sends a signal.
bool own_timer_signals();
/// A timer of the process runs that sends a signal: who waits for one waits in simulated time.
bool awaits_signal();

}  // namespace rnicsim::programs
