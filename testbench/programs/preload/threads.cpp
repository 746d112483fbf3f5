// SPDX-License-Identifier: Apache-2.0
// A thread that begins is known to the simulator before the call that begins it returns: time does not go on without
// it. Threads that wait for others by yielding.
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"
#include "testbench/programs/preload/waits.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

using namespace rnicsim::programs;

namespace {

using Routine = void* (*)(void*);

Next<int(pthread_t*, const pthread_attr_t*, Routine, void*)> g_create("pthread_create");

struct Beginning {
    Routine routine;
    void* argument;
    std::int64_t clock;  ///< of the thread that has begun it
    std::atomic<bool> known{false};
};

void* begin(void* of) {
    auto* const beginning = static_cast<Beginning*>(of);
    const Routine routine = beginning->routine;
    void* const argument = beginning->argument;
    Connection& connection = thread_connection();
    connect_thread(connection, Complaints::none);
    connection.clock = std::max(connection.clock, beginning->clock);
    beginning->known.store(true);  // it is gone from here on
    return routine(argument);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Routine routine,
                              void* argument) noexcept {
    if (!has_simulated_time() || simulator_gone()) return g_create(thread, attributes, routine, argument);
    Beginning beginning{routine, argument, thread_connection().clock};
    const int error = g_create(thread, attributes, begin, &beginning);
    if (error != 0) return error;
    // It does not block meanwhile, or time could go on.
    while (!beginning.known.load()) raw::yield();
    return 0;
}

/// Who yields again and again, and asks for nothing else, waits for another thread: that one's time goes on only if
/// this one's does. What it waits for is seen some hundredths of its wait late. False: that is not so yet.
static bool yield_simulated() {
    constexpr unsigned kAtOnce = 16;
    constexpr std::int64_t kMostPs = 100'000'000;
    if (!has_simulated_time() || simulator_gone()) return false;
    Connection& connection = thread_connection();
    const unsigned yields = ++connection.yields;
    if (yields <= kAtOnce) return false;
    const std::int64_t ps = (yields / kAtOnce) * std::int64_t{1'000'000};
    if (!sleep_simulated(std::min(ps, kMostPs))) return false;
    connection.yields = yields;
    return true;
}

void rnicsim::programs::look_in_vain() { yield_simulated(); }

extern "C" int sched_yield() noexcept { return yield_simulated() ? 0 : raw::yield(); }
