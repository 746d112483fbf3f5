// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/own_network.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <unistd.h>
#include <cstring>
#include <fstream>

namespace rnicsim::runner {
namespace {

bool write(const char* file, const std::string& text) {
    std::ofstream to(file);
    to << text << std::flush;
    return to.good();
}

/// A namespace of users in which this one is who it was, and may make a network.
bool take_own_users() {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
    return write("/proc/self/setgroups", "deny") && write("/proc/self/uid_map", fmt::format("{} {} 1", user, user)) &&
           write("/proc/self/gid_map", fmt::format("{} {} 1", group, group));
}

bool loopback_up() {
    const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return false;
    ifreq request{};
    std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
    bool done = ::ioctl(any, SIOCGIFFLAGS, &request) == 0;
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    done = done && ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
    ::close(any);
    return done;
}

}  // namespace

bool take_own_network() {
    if (::unshare(CLONE_NEWNET) != 0 && !take_own_users()) return false;
    return loopback_up();
}

}  // namespace rnicsim::runner
