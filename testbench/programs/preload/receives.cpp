// SPDX-License-Identifier: Apache-2.0
// What blocks until something can be read, where that is in simulated time: a timerfd, or a socket with a timeout for
// receiving (SO_RCVTIMEO), which the kernel must not know of.
#include "testbench/programs/preload/receives.h"

#include "testbench/programs/preload/client.h"
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/raw.h"
#include "testbench/programs/preload/thread_clock.h"
#include "testbench/programs/preload/timerfds.h"
#include "testbench/programs/preload/waits.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>

using namespace rnicsim::programs;

namespace {

constexpr std::int64_t kPsPerUs = 1'000'000;
constexpr std::size_t kDescriptors = std::size_t{1} << 16U;
constinit std::array<std::atomic<std::int64_t>, kDescriptors> g_timeouts{};  // ps, by descriptor; 0: none
std::atomic<bool> g_any{false}, g_said{false};

Next<ssize_t(int, void*, size_t)> g_read("read");
Next<ssize_t(int, const iovec*, int)> g_readv("readv");
Next<ssize_t(int, void*, size_t, int)> g_recv("recv");
Next<ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)> g_recvfrom("recvfrom");
Next<ssize_t(int, msghdr*, int)> g_recvmsg("recvmsg");
Next<int(int, sockaddr*, socklen_t*)> g_accept("accept");
Next<int(int, sockaddr*, socklen_t*, int)> g_accept4("accept4");
Next<int(int, int, int, const void*, socklen_t)> g_setsockopt("setsockopt");
Next<int(int, int, int, void*, socklen_t*)> g_getsockopt("getsockopt");

std::int64_t timeout_of(int descriptor) {
    const bool known =
        g_any.load(std::memory_order_relaxed) && descriptor >= 0 && static_cast<std::size_t>(descriptor) < kDescriptors;
    return known ? g_timeouts[static_cast<std::size_t>(descriptor)].load(std::memory_order_relaxed) : 0;
}

/// False: it fails, with errno.
bool await(int descriptor, int flags = 0) {
    const std::int64_t timeout = timeout_of(descriptor);
    if ((timeout == 0 && !is_timerfd(descriptor)) || (flags & MSG_DONTWAIT) != 0) return true;
    if (!raw::waits(descriptor) || !can_wait()) return true;
    pollfd one{descriptor, POLLIN, 0};
    if (timeout == 0) return poll_simulated(&one, 1, std::nullopt, nullptr, Pace::simulator) > 0;
    const int ready = poll_simulated(&one, 1, timeout, nullptr, Pace::machine);
    if (ready == 0) errno = EAGAIN;
    return ready > 0;
}

/// The kernel has it checked, and then forgets it.
int set_timeout(int descriptor, const void* value, socklen_t bytes) {
    const int error = g_setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, value, bytes);
    if (error != 0 || static_cast<std::size_t>(descriptor) >= kDescriptors) return error;
    const timeval time = *static_cast<const timeval*>(value);
    constexpr timeval kNone{};
    g_setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &kNone, sizeof kNone);
    const std::int64_t ps = ps_of({time.tv_sec, time.tv_usec * 1000});
    g_timeouts[static_cast<std::size_t>(descriptor)].store(std::max<std::int64_t>(ps, 0));
    if (ps > 0) g_any.store(true);
    return 0;
}

}  // namespace

namespace rnicsim::programs {

void leave_timeout(int descriptor) {
    if (timeout_of(descriptor) != 0) g_timeouts[static_cast<std::size_t>(descriptor)].store(0);
}

}  // namespace rnicsim::programs

extern "C" {

ssize_t read(int descriptor, void* to, size_t bytes) { return await(descriptor) ? g_read(descriptor, to, bytes) : -1; }
ssize_t readv(int descriptor, const iovec* to, int count) {
    return await(descriptor) ? g_readv(descriptor, to, count) : -1;
}
ssize_t recv(int descriptor, void* to, size_t bytes, int flags) {
    return await(descriptor, flags) ? g_recv(descriptor, to, bytes, flags) : -1;
}
ssize_t recvfrom(int descriptor, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* room) {
    return await(descriptor, flags) ? g_recvfrom(descriptor, to, bytes, flags, from, room) : -1;
}
ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
    return await(descriptor, flags) ? g_recvmsg(descriptor, message, flags) : -1;
}
int accept(int descriptor, sockaddr* from, socklen_t* room) {
    return await(descriptor) ? g_accept(descriptor, from, room) : -1;
}
int accept4(int descriptor, sockaddr* from, socklen_t* room, int flags) {
    return await(descriptor) ? g_accept4(descriptor, from, room, flags) : -1;
}
// What they become in programs that are built with _FORTIFY_SOURCE.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are libc's
ssize_t __read_chk(int descriptor, void* to, size_t bytes, size_t room) {
    if (bytes > room) std::abort();
    return ::read(descriptor, to, bytes);
}
ssize_t __recv_chk(int descriptor, void* to, size_t bytes, size_t room, int flags) {
    if (bytes > room) std::abort();
    return ::recv(descriptor, to, bytes, flags);
}
ssize_t __recvfrom_chk(int descriptor, void* to, size_t bytes, size_t room, int flags, sockaddr* from,
                       socklen_t* length) {
    if (bytes > room) std::abort();
    return ::recvfrom(descriptor, to, bytes, flags, from, length);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

int setsockopt(int descriptor, int level, int name, const void* value, socklen_t bytes) noexcept {
    if (level != SOL_SOCKET || (name != SO_RCVTIMEO && name != SO_SNDTIMEO) || !has_simulated_time())
        return g_setsockopt(descriptor, level, name, value, bytes);
    if (name == SO_RCVTIMEO && raw::has(value, sizeof(timeval)) && bytes >= sizeof(timeval))
        return set_timeout(descriptor, value, bytes);
    if (name == SO_SNDTIMEO && !g_said.exchange(true))
        rnicsim_say("a timeout for sending (SO_SNDTIMEO) is of the machine's time, not of the simulation's", "");
    return g_setsockopt(descriptor, level, name, value, bytes);
}

int getsockopt(int descriptor, int level, int name, void* value, socklen_t* bytes) noexcept {
    const std::int64_t timeout = level == SOL_SOCKET && name == SO_RCVTIMEO ? timeout_of(descriptor) : 0;
    if (timeout == 0 || value == nullptr || !raw::has(bytes, sizeof(timeval)) || *bytes < sizeof(timeval))
        return g_getsockopt(descriptor, level, name, value, bytes);
    if (g_getsockopt(descriptor, level, name, value, bytes) != 0) return -1;
    *static_cast<timeval*>(value) = {timeout / kPsPerSecond, timeout % kPsPerSecond / kPsPerUs};
    *bytes = sizeof(timeval);
    return 0;
}
}
