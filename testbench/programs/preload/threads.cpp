// A thread that begins is known to the simulator before the call that begins it returns: time does not go on without
// it.
#include "testbench/programs/preload/connection.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/thread_clock.h"

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
    while (!beginning.known.load()) sched_yield();
    return 0;
}
