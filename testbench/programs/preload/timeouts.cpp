// Waiting for another thread no longer than until a time that the program has made of a clock: in strict mode that is a
// time of the simulation, which the machine's clocks know nothing of. The machine's time passes instead, as long; who
// has waited in vain has then waited in simulated time, too.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"

#include <pthread.h>
#include <semaphore.h>

#include <algorithm>

using namespace rnicsim::programs;

namespace {

Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> g_cond_timed("pthread_cond_timedwait");
Next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> g_cond_clock("pthread_cond_clockwait");
Next<int(sem_t*, const timespec*)> g_sem_timed("sem_timedwait");
Next<int(sem_t*, clockid_t, const timespec*)> g_sem_clock("sem_clockwait");
Next<int(pthread_mutex_t*, const timespec*)> g_mutex_timed("pthread_mutex_timedlock");
Next<int(pthread_mutex_t*, clockid_t, const timespec*)> g_mutex_clock("pthread_mutex_clocklock");

/// `wait`: until a time of CLOCK_MONOTONIC; returns what `failed` takes for a timeout, or not.
template <class Wait, class Failed>
int wait_until(const timespec& until, Wait wait, Failed failed) {
    const std::int64_t left =
        std::max<std::int64_t>(until.tv_sec * kNsPerSecond + until.tv_nsec - date_of(read_clock()), 0);
    timespec machine{};
    raw::clock(CLOCK_MONOTONIC, machine);
    machine = timespec_of(machine.tv_sec * kNsPerSecond + machine.tv_nsec + std::min(left, kNsPerSecond * 1'000'000));
    const int result = wait(machine);
    if (!failed(result)) return result;
    const int error = errno;
    const std::int64_t rest = until.tv_sec * kNsPerSecond + until.tv_nsec - date_of(read_clock());
    if (rest > 0) sleep_simulated(ps_of(timespec_of(rest)));
    errno = error;
    return result;
}

bool says_timeout(int error) { return error == ETIMEDOUT; }
bool has_timeout(int result) { return result != 0 && errno == ETIMEDOUT; }

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
    return has_simulated_time() ? cond_wait(condition, mutex, *until) : g_cond_clock(condition, mutex, clock, until);
}
int sem_timedwait(sem_t* semaphore, const timespec* until) {
    return has_simulated_time() ? sem_wait_until(semaphore, *until) : g_sem_timed(semaphore, until);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
    return has_simulated_time() ? sem_wait_until(semaphore, *until) : g_sem_clock(semaphore, clock, until);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
    return has_simulated_time() ? lock_until(mutex, *until) : g_mutex_timed(mutex, until);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
    return has_simulated_time() ? lock_until(mutex, *until) : g_mutex_clock(mutex, clock, until);
}
}
