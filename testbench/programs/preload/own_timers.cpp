// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/own_timers.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/thread_clock.h"

#include <algorithm>
#include <cerrno>

namespace rnicsim::programs {
namespace {

bool is_time(const timespec& time) { return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < kNsPerSecond; }

std::int64_t now() {
    Connection& connection = thread_connection();
    return connection.clock = std::max(connection.clock, simulated_now());
}

/// Of a time of the clocks that a program sees; one that is over is the next.
std::int64_t first_of(bool absolute, const timespec& value, std::int64_t at) {
    if (!absolute) return ps_of(value);
    return std::max<std::int64_t>(ps_of(timespec_of(value.tv_sec * kNsPerSecond + value.tv_nsec - date_of(at))), 1);
}

}  // namespace

bool has_own_timers(clockid_t clock) {
    switch (clock) {
        case CLOCK_REALTIME:
        case CLOCK_MONOTONIC:
        case CLOCK_BOOTTIME:
        case CLOCK_REALTIME_ALARM:
        case CLOCK_BOOTTIME_ALARM:
        case CLOCK_TAI: return has_simulated_time() && !simulator_gone() && !thread_connection().busy;
        default: return false;
    }
}

int make_timer(OwnTimer& timer, const TimerInit& init, int* descriptor) {
    const iovec part{const_cast<TimerInit*>(&init), sizeof init};
    Made made;
    std::size_t got = 0;
    if (const int error = rnicsim_call(Op::make_timer, &part, 1, &made, sizeof made, &got, descriptor); error != 0)
        return error;
    if (got != sizeof made) return EIO;
    timer.due.store(0);
    timer.again.store(0);
    timer.handle.store(made.handle);
    return 0;
}

int set_timer(OwnTimer& timer, bool absolute, const itimerspec& to, itimerspec* old) {
    if (!is_time(to.it_value) || !is_time(to.it_interval)) return EINVAL;
    Connection& connection = thread_connection();
    if (connect_thread(connection) != 0) return EIO;
    if (old != nullptr) *old = rest_of(timer);
    const bool on = to.it_value.tv_sec != 0 || to.it_value.tv_nsec != 0;
    const std::int64_t at = now();
    const TimerSetting setting{
        timer.handle.load(), 0, {on ? first_of(absolute, to.it_value, at) : 0, on ? ps_of(to.it_interval) : 0}};
    timer.again.store(setting.to.again);
    timer.due.store(on ? at + setting.to.first : 0);
    const iovec part{const_cast<TimerSetting*>(&setting), sizeof setting};
    return send_request(connection, Op::set_own_timer, &part, 1);
}

void free_timer(OwnTimer& timer) {
    const Handle handle = timer.handle.exchange(0);
    const iovec part{const_cast<Handle*>(&handle), sizeof handle};
    timer.due.store(0);
    if (handle != 0 && !simulator_gone()) rnicsim_tell(Op::free_timer, &part, 1, 0);
}

bool runs(const OwnTimer& timer) {
    const std::int64_t due = timer.due.load();
    return timer.handle.load() != 0 && due != 0 && (timer.again.load() != 0 || due > now());
}

itimerspec rest_of(const OwnTimer& timer) {
    const auto time = [](std::int64_t ps) { return timespec_of(ps / kPsPerNs); };
    const std::int64_t again = timer.again.load(), since = now() - timer.due.load();
    if (!runs(timer)) return {time(timer.due.load() == 0 ? 0 : again), {}};
    // One that runs never has 0 left.
    return {time(again), time(std::max(since < 0 ? -since : again - since % again, kPsPerNs))};
}

}  // namespace rnicsim::programs
