// SPDX-License-Identifier: Apache-2.0
// The less common of the functions that wait for others no longer than told (timeouts.h): locks for readers and
// writers, ends of threads, C11's threads, semaphores and messages of the system.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/timeouts.h"

#include <mqueue.h>
#include <pthread.h>
#include <sys/sem.h>
#include <threads.h>

using namespace rnicsim::programs;

namespace {

using Lock = int(pthread_rwlock_t*, const timespec*);
using ClockLock = int(pthread_rwlock_t*, clockid_t, const timespec*);
Next<Lock> g_read_timed("pthread_rwlock_timedrdlock"), g_write_timed("pthread_rwlock_timedwrlock");
Next<ClockLock> g_read_clock("pthread_rwlock_clockrdlock"), g_write_clock("pthread_rwlock_clockwrlock");
Next<int(pthread_t, void**, const timespec*)> g_join_timed("pthread_timedjoin_np");
Next<int(pthread_t, void**, clockid_t, const timespec*)> g_join_clock("pthread_clockjoin_np");
Next<int(const timespec*, timespec*)> g_thrd_sleep("thrd_sleep");
Next<int(cnd_t*, mtx_t*, const timespec*)> g_cnd_timed("cnd_timedwait");
Next<int(mtx_t*, const timespec*)> g_mtx_timed("mtx_timedlock");
Next<int(int, sembuf*, size_t, const timespec*)> g_semtimedop("semtimedop");
Next<ssize_t(mqd_t, char*, size_t, unsigned*, const timespec*)> g_mq_receive("mq_timedreceive");
Next<int(mqd_t, const char*, size_t, unsigned, const timespec*)> g_mq_send("mq_timedsend");

int lock(Next<ClockLock>& next, pthread_rwlock_t* of, const timespec& until) {
    return wait_until(
        until, [&](const timespec& at) { return next(of, CLOCK_MONOTONIC, &at); }, says_timeout);
}
int join(pthread_t thread, void** result, const timespec& until) {
    return wait_until(
        until, [&](const timespec& at) { return g_join_clock(thread, result, CLOCK_MONOTONIC, &at); }, says_timeout);
}
bool says_timedout(int result) { return result == thrd_timedout; }

}  // namespace

extern "C" {

int pthread_rwlock_timedrdlock(pthread_rwlock_t* of, const timespec* until) noexcept {
    return has_simulated_time() ? lock(g_read_clock, of, *until) : g_read_timed(of, until);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* of, const timespec* until) noexcept {
    return has_simulated_time() ? lock(g_write_clock, of, *until) : g_write_timed(of, until);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* of, clockid_t clock, const timespec* until) noexcept {
    return has_simulated_time() && is_waited_by(clock) ? lock(g_read_clock, of, *until)
                                                       : g_read_clock(of, clock, until);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* of, clockid_t clock, const timespec* until) noexcept {
    return has_simulated_time() && is_waited_by(clock) ? lock(g_write_clock, of, *until)
                                                       : g_write_clock(of, clock, until);
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
    return has_simulated_time() && until != nullptr ? join(thread, result, *until)
                                                    : g_join_timed(thread, result, until);
}
int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* until) {
    return has_simulated_time() && is_waited_by(clock) && until != nullptr ? join(thread, result, *until)
                                                                           : g_join_clock(thread, result, clock, until);
}

int thrd_sleep(const timespec* time, timespec* left) {
    if (!has_simulated_time()) return g_thrd_sleep(time, left);
    const int error = ::clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return error == 0 ? 0 : error == EINTR ? -1 : -2;
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
    if (!has_simulated_time()) return g_cnd_timed(condition, mutex, until);
    return wait_until(
        *until, [&](const timespec& at) { return g_cnd_timed(condition, mutex, &at); }, says_timedout, CLOCK_REALTIME);
}
int mtx_timedlock(mtx_t* mutex, const timespec* until) {
    if (!has_simulated_time()) return g_mtx_timed(mutex, until);
    return wait_until(
        *until, [&](const timespec& at) { return g_mtx_timed(mutex, &at); }, says_timedout, CLOCK_REALTIME);
}

int semtimedop(int set, sembuf* of, size_t count, const timespec* time) noexcept {
    if (time == nullptr || !raw::has(time, sizeof *time) || ps_of(*time) < 0 || !has_simulated_time())
        return g_semtimedop(set, of, count, time);
    const std::int64_t begun = read_clock();
    const int result = g_semtimedop(set, of, count, time);
    if (result == 0 || errno != EAGAIN) return result;
    sleep_simulated(std::max<std::int64_t>(begun + ps_of(*time) - read_clock(), 0));
    errno = EAGAIN;
    return result;
}
ssize_t mq_timedreceive(mqd_t from, char* to, size_t bytes, unsigned* priority, const timespec* until) {
    if (!has_simulated_time()) return g_mq_receive(from, to, bytes, priority, until);
    ssize_t got = 0;
    wait_until(
        *until,
        [&](const timespec& at) {
            got = g_mq_receive(from, to, bytes, priority, &at);
            return got < 0 ? -1 : 0;
        },
        has_timeout, CLOCK_REALTIME);
    return got;
}
int mq_timedsend(mqd_t to, const char* from, size_t bytes, unsigned priority, const timespec* until) {
    if (!has_simulated_time()) return g_mq_send(to, from, bytes, priority, until);
    return wait_until(
        *until, [&](const timespec& at) { return g_mq_send(to, from, bytes, priority, &at); }, has_timeout,
        CLOCK_REALTIME);
}
}
