// SPDX-License-Identifier: Apache-2.0
// System calls past libc: functions of libc that the preloaded object replaces must not catch its own calls. None of
// them is a cancellation point.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace rnicsim::programs::raw {

inline int socket(int domain, int type, int protocol) {
    return static_cast<int>(::syscall(SYS_socket, domain, type, protocol));
}
inline int connect(int fd, const sockaddr* to, socklen_t bytes) {
    return static_cast<int>(::syscall(SYS_connect, fd, to, bytes));
}
inline int option(int fd, int level, int name, void* value, socklen_t& bytes) {
    return static_cast<int>(::syscall(SYS_getsockopt, fd, level, name, value, &bytes));
}
inline int close(int fd) { return static_cast<int>(::syscall(SYS_close, fd)); }
inline ssize_t write(int fd, const void* from, std::size_t bytes) { return ::syscall(SYS_write, fd, from, bytes); }
/// For reading. UCX looks at clocks while it changes the code of libc's mmap.
inline void* map_shared(int fd, std::size_t bytes) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): what the call gives
    return reinterpret_cast<void*>(::syscall(SYS_mmap, nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0));
}
/// To a thread of this process.
inline void signal(int thread, int number) { ::syscall(SYS_tgkill, ::syscall(SYS_getpid), thread, number); }
inline int clock(clockid_t which, timespec& to) { return static_cast<int>(::syscall(SYS_clock_gettime, which, &to)); }
inline clock_t times(tms* to) { return ::syscall(SYS_times, to); }
/// An errno or 0.
inline int sleep(clockid_t clock, int flags, const timespec* request, timespec* left) {
    return ::syscall(SYS_clock_nanosleep, clock, flags, request, left) == 0 ? 0 : errno;
}
/// The kernel can read these bytes: what a program passes may be no memory, which is EFAULT and not a signal. They are
/// taken for a set of signals to be changed in a way that there is not.
inline bool has(const void* at, std::size_t bytes) {
    constexpr long kNoWay = -1;
    constexpr std::size_t kSet = _NSIG / 8;
    const auto reads = [](const char* from) {
        const int before = errno;
        const bool done = ::syscall(SYS_rt_sigprocmask, kNoWay, from, nullptr, kSet) == 0 || errno != EFAULT;
        errno = before;
        return done;
    };
    const auto* const first = static_cast<const char*>(at);
    if (at == nullptr) return bytes == 0;  // there is no set to change then
    return bytes < kSet || (reads(first) && (bytes == kSet || reads(first + bytes - kSet)));
}
/// The first byte of a text is there, by the bytes that it is aligned with: they are of the same page.
inline bool has_text(const char* text) {
    constexpr std::uintptr_t kAligned = 7;
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(text) & ~kAligned;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the same object
    return has(reinterpret_cast<const void*>(first), kAligned + 1);
}
inline int yield() { return static_cast<int>(::syscall(SYS_sched_yield)); }
inline uid_t user() { return static_cast<uid_t>(::syscall(SYS_geteuid)); }
inline int thread() { return static_cast<int>(::syscall(SYS_gettid)); }

inline ssize_t send(int fd, const msghdr& message) {
    for (;;) {
        const ssize_t sent = ::syscall(SYS_sendmsg, fd, &message, MSG_NOSIGNAL);
        if (sent >= 0 || errno != EINTR) return sent;
    }
}
inline ssize_t receive(int fd, msghdr& message) {
    for (;;) {
        const ssize_t got = ::syscall(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC);
        if (got >= 0 || errno != EINTR) return got;
    }
}
/// What is there already; never waits.
inline ssize_t take(int fd, void* into, std::size_t bytes) {
    for (;;) {
        const ssize_t got = ::syscall(SYS_recvfrom, fd, into, bytes, MSG_DONTWAIT, nullptr, nullptr);
        if (got >= 0 || errno != EINTR) return got;
    }
}
inline bool waits(int fd) { return (::syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) == 0; }

/// Waits without end.
inline int poll(pollfd* of, unsigned count) {
    for (;;) {
        const long ready = ::syscall(SYS_ppoll, of, count, nullptr, nullptr, 0);
        if (ready >= 0 || errno != EINTR) return static_cast<int>(ready);
    }
}

/// The same, ended by a signal; `mask` as in ppoll(2).
inline long poll_once(pollfd* of, unsigned count, const sigset_t* mask) {
    return ::syscall(SYS_ppoll, of, count, nullptr, mask, mask == nullptr ? 0 : _NSIG / 8);
}

}  // namespace rnicsim::programs::raw
