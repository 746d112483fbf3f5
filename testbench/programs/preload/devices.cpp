// SPDX-License-Identifier: Apache-2.0
// Functions of libc on descriptors, for those of devices that are the simulator's.
#include "testbench/programs/preload/next.h"
#include "testbench/programs/preload/paths.h"
#include "testbench/programs/preload/rdma_cm.h"
#include "testbench/programs/preload/receives.h"
#include "testbench/programs/preload/timerfds.h"

#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

using namespace rnicsim::programs;

namespace {

Next<ssize_t(int, const void*, size_t)> g_write("write");
Next<int(int)> g_close("close");
Next<int(int, struct stat*)> g_fstat("fstat");
Next<int(int, struct stat64*)> g_fstat64("fstat64");
Next<int(int, int, int)> g_socket("socket");

constexpr unsigned kMisc = 10;  // major number of the kernel's miscellaneous devices, of which rdma_cm is one

template <typename Stat>
void describe(Stat& to) {
    std::memset(&to, 0, sizeof to);
    to.st_mode = S_IFCHR | 0666;
    to.st_nlink = 1;
    to.st_rdev = makedev(kMisc, 0);
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* from, size_t bytes) {
    return is_rdma_cm(descriptor) ? write_rdma_cm(descriptor, from, bytes) : g_write(descriptor, from, bytes);
}

int close(int descriptor) {
    if (is_rdma_cm(descriptor)) leave_rdma_cm(descriptor);
    leave_timerfd(descriptor);
    leave_timeout(descriptor);
    return g_close(descriptor);
}

int fstat(int descriptor, struct stat* to) noexcept {
    if (!is_rdma_cm(descriptor)) return g_fstat(descriptor, to);
    describe(*to);
    return 0;
}

int fstat64(int descriptor, struct stat64* to) noexcept {
    if (!is_rdma_cm(descriptor)) return g_fstat64(descriptor, to);
    describe(*to);
    return 0;
}

/// The kernel's own list of RDMA devices is the machine's: as if there were no such module.
int socket(int domain, int type, int protocol) noexcept {
    if (domain == AF_NETLINK && protocol == NETLINK_RDMA && has_simulator()) {
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return g_socket(domain, type, protocol);
}
}
