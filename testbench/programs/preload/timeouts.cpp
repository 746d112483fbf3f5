// SPDX-License-Identifier: Apache-2.0
// Waiting for another thread no longer than told (timeouts.h).
#include "testbench/programs/preload/timeouts.h"

#include "testbench/programs/preload/next.h"

#include <pthread.h>
#include <semaphore.h>

using namespace rnicsim::programs;

namespace {

Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> g_cond_timed("pthread_cond_timedwait");
Next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> g_cond_clock("pthread_cond_clockwait");
Next<int(sem_t*, const timespec*)> g_sem_timed("sem_timedwait");
Next<int(sem_t*, clockid_t, const timespec*)> g_sem_clock("sem_clockwait");
Next<int(pthread_mutex_t*, const timespec*)> g_mutex_timed("pthread_mutex_timedlock");
Next<int(pthread_mutex_t*, clockid_t, const timespec*)> g_mutex_clock("pthread_mutex_clocklock");

int cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec& until) {
    return wait_until(
        until, [&](const timespec& at) { return g_cond_clock(condition, mutex, CLOCK_MONOTONIC, &at); }, says_timeout);
}
int sem_wait_until(sem_t* semaphore, const timespec& until) {
    return wait_until(
        until, [&](const timespec& at) { return g_sem_clock(semaphore, CLOCK_MONOTONIC, &at); }, has_timeout);
}
int lock_until(pthread_mutex_t* mutex, const timespec& until) {
    return wait_until(
        until, [&](const timespec& at) { return g_mutex_clock(mutex, CLOCK_MONOTONIC, &at); }, says_timeout);
}

}  // namespace

extern "C" {

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
    return has_simulated_time() ? cond_wait(condition, mutex, *until) : g_cond_timed(condition, mutex, until);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
    return has_simulated_time() && is_waited_by(clock) ? cond_wait(condition, mutex, *until)
                                                       : g_cond_clock(condition, mutex, clock, until);
}
int sem_timedwait(sem_t* semaphore, const timespec* until) {
    return has_simulated_time() ? sem_wait_until(semaphore, *until) : g_sem_timed(semaphore, until);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
    return has_simulated_time() && is_waited_by(clock) ? sem_wait_until(semaphore, *until)
                                                       : g_sem_clock(semaphore, clock, until);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
    return has_simulated_time() ? lock_until(mutex, *until) : g_mutex_timed(mutex, until);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
    return has_simulated_time() && is_waited_by(clock) ? lock_until(mutex, *until) : g_mutex_clock(mutex, clock, until);
}
}
