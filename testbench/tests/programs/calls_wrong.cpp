// SPDX-License-Identifier: Apache-2.0
// What is wrong in a call of libc that the preloaded object replaces: the errno of the system's manual, as without it,
// and no signal. Programs of `rnicsim exec` in strict mode.
#include "testbench/tests/programs/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>

namespace {

using namespace calls;

/// The call is -1, and this is errno.
bool is_refused(long result, int error) { return result == -1 && errno == error; }

/// An address where there is no memory; the compiler does not know.
template <class T>
T* nowhere(std::uintptr_t at = 8) {
    static volatile std::uintptr_t address;
    address = at;
    return reinterpret_cast<T*>(address);
}

constexpr timespec kMs{0, 1'000'000}, kTooMany{0, 1'000'000'000}, kNegative{0, -1};

CALLS_CASE(no_memory, "calls with addresses where there is no memory fail with EFAULT") {
    std::array<int, 2> ends{};
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    for (const int timeout : {0, 1}) CHECK(is_refused(::poll(nowhere<pollfd>(), 1, timeout), EFAULT));
    CHECK(is_refused(::ppoll(nowhere<pollfd>(), 1, &kMs, nullptr), EFAULT));
    pollfd one{ends[0], POLLIN, 0};
    static volatile nfds_t too_many = 1U << 31U;
    CHECK(is_refused(::poll(&one, too_many, 0), EINVAL));
    timeval time{0, 1000};
    CHECK(is_refused(::select(ends[0] + 1, nowhere<fd_set>(), nullptr, nullptr, &time), EFAULT));
    CHECK(is_refused(::nanosleep(nowhere<timespec>(), nullptr), EFAULT));
    CHECK(is_refused(::setitimer(ITIMER_REAL, nowhere<itimerval>(), nullptr), EFAULT));
    CHECK(is_refused(::getitimer(ITIMER_REAL, nowhere<itimerval>()), EFAULT));
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(is_refused(::timerfd_settime(timer, 0, nowhere<itimerspec>(), nullptr), EFAULT));
    CHECK(is_refused(::timerfd_gettime(timer, nowhere<itimerspec>()), EFAULT));
    CHECK(::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0);
    socklen_t bytes = sizeof time;
    CHECK(is_refused(::getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, nowhere<timeval>(), &bytes), EFAULT));
    CHECK(is_refused(::getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, nowhere<socklen_t>()), EFAULT));
    const int set = ::semget(IPC_PRIVATE, 1, 0600);
    sembuf take{0, -1, 0};
    CHECK(is_refused(::semtimedop(set, &take, 1, nowhere<timespec>()), EFAULT));
    CHECK(::semctl(set, 0, IPC_RMID) == 0);
    struct stat seen {};
    CHECK(is_refused(::open(nowhere<char>(), O_RDONLY), EFAULT) && is_refused(::stat(nowhere<char>(), &seen), EFAULT));
    CHECK(::gettimeofday(nowhere<timeval>(0), nullptr) == 0);
    CHECK(is_refused(::times(nowhere<tms>()), EFAULT));
    ::close(timer);
}

CALLS_CASE(no_times, "times that are none, and clocks that nobody waits by, are EINVAL") {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
    sem_t semaphore{};
    CHECK(::sem_init(&semaphore, 0, 0) == 0 && pthread_mutex_lock(&lock) == 0);
    for (const timespec& until : {kTooMany, kNegative}) {
        CHECK(pthread_cond_timedwait(&condition, &lock, &until) == EINVAL);
        CHECK(pthread_mutex_timedlock(&lock, &until) == EINVAL);
        CHECK(is_refused(::sem_timedwait(&semaphore, &until), EINVAL));
        CHECK(pthread_rwlock_timedrdlock(&shared, &until) == EINVAL || pthread_rwlock_unlock(&shared) == 0);
    }
    constexpr clockid_t kNone = 99;
    CHECK(pthread_cond_clockwait(&condition, &lock, kNone, &kMs) == EINVAL);
    CHECK(pthread_mutex_clocklock(&lock, kNone, &kMs) == EINVAL);
    CHECK(is_refused(::sem_clockwait(&semaphore, kNone, &kMs), EINVAL));
    // A lock that is free is taken whatever the time says.
    CHECK(pthread_mutex_unlock(&lock) == 0 && pthread_mutex_timedlock(&lock, &kTooMany) == 0);
    errno = 0;
    CHECK(::clock_nanosleep(kNone, 0, &kMs, nullptr) == EINVAL && errno == 0);
    CHECK(::clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &kMs, nullptr) == EINVAL);
    for (const clockid_t clock : {CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME_COARSE})
        CHECK(::clock_nanosleep(clock, 0, &kMs, nullptr) == EOPNOTSUPP);
}

CALLS_CASE(errno_stays, "a signal that has been waited for leaves errno") {
    sigset_t set{};
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGALRM);
    CHECK(::sigprocmask(SIG_BLOCK, &set, nullptr) == 0);
    const itimerval once{{}, {0, 1000}};
    CHECK(::setitimer(ITIMER_REAL, &once, nullptr) == 0);
    errno = 0;
    int signal = 0;
    CHECK(::sigwait(&set, &signal) == 0 && signal == SIGALRM && errno == 0);
}

}  // namespace
