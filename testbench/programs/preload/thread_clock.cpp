// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/preload/thread_clock.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/exchange.h"
#include "testbench/programs/preload/raw.h"

#include <algorithm>
#include <atomic>

namespace rnicsim::programs {
namespace {

constexpr std::int64_t kMostSeconds = 1'000'000;  // 2^63 ps are 9,223,372 s

std::atomic<bool> g_alone{false};  // no simulator was there when clocks were first looked at
std::atomic<bool> g_left{false};
std::atomic<std::int64_t> g_lead{
    0};  // ns by which the machine's clock was ahead when the simulator was lost; 0: it is there

std::int64_t machine_ns() {
    timespec now{};
    raw::clock(CLOCK_MONOTONIC, now);
    return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace

bool has_simulated_time() {
    const Connection& connection = thread_connection();
    if (g_left.load(std::memory_order_relaxed)) return false;
    if (connection.welcome.strict != 0) return true;  // also when the simulator is gone
    if (connection.fd >= 0 || g_alone.load(std::memory_order_relaxed)) return false;
    if (connect_thread(thread_connection(), Complaints::none) != 0) g_alone.store(true);
    return connection.welcome.strict != 0;
}

void leave_simulated_time() { g_left.store(true); }

std::int64_t read_clock() {
    Connection& connection = thread_connection();
    std::int64_t& clock = connection.clock;
    if (simulator_gone()) return clock = std::max(clock, (machine_ns() - g_lead.load()) * kPsPerNs);
    clock = std::max(clock, simulated_now()) + connection.welcome.clock_read;
    if (!connection.reads.count()) return clock;
    ClockReads reads = connection.reads;
    reads.plan();
    sleep_simulated(0);
    connection.reads = reads;
    return clock;
}

void go_on_alone(std::int64_t reached) { g_lead.store(machine_ns() - reached / kPsPerNs); }

std::int64_t date_of(std::int64_t ps) { return thread_connection().welcome.start + ps / kPsPerNs; }

std::int64_t cycles_of(std::int64_t ps) {
    const std::int64_t mhz = thread_connection().welcome.tsc_mhz;
    constexpr std::int64_t kPsPerUs = 1'000'000;
    return ps / kPsPerUs * mhz + ps % kPsPerUs * mhz / kPsPerUs;
}

bool sleep_simulated(std::int64_t ps) {
    Connection& connection = thread_connection();
    if (connection.busy || connect_thread(connection) != 0) return false;  // busy: in a handler of a signal
    const Sleep request{.time = ps};
    const iovec part{const_cast<Sleep*>(&request), sizeof request};
    std::size_t got = 0;
    return exchange(connection, {Op::sleep, &part, 1, nullptr, 0, nullptr}, got) == 0;
}

std::int64_t ps_of(const timespec& time) {
    if (time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_nsec >= kNsPerSecond) return -1;
    return std::min<std::int64_t>(time.tv_sec, kMostSeconds) * kPsPerSecond + time.tv_nsec * kPsPerNs;
}

timespec timespec_of(std::int64_t nanoseconds) { return {nanoseconds / kNsPerSecond, nanoseconds % kNsPerSecond}; }

}  // namespace rnicsim::programs
