// SPDX-License-Identifier: Apache-2.0
// Sockets on which events go to programs.
#pragma once

#include "testbench/programs/server/body.h"
#include "testbench/programs/server/descriptor.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace rnicsim::programs {

/// Of this process, not for events: threads of programs have yet to come.
inline constexpr rlim_t kKeptDescriptors = 128;

/// Descriptors of the kernel's drivers are readable and never writable. One of a socket is writable while what was sent
/// by it and nobody has read takes less than a quarter of its buffer: the least buffer, and one message that stays
/// unread, end that for good.
struct EventSockets {
    Descriptor ours, theirs;

    /// Throws Refusal.
    static EventSockets made() {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw Refusal{errno};
        EventSockets sockets{Descriptor(ends[0]), Descriptor(ends[1])};
        rlimit most{};  // the lowest number that is free is given
        if (::getrlimit(RLIMIT_NOFILE, &most) == 0 && static_cast<rlim_t>(ends[1]) + kKeptDescriptors >= most.rlim_cur)
            throw Refusal{EMFILE};
        constexpr int kLeast = 0;  // the system takes its own least, some 4 KiB
        constexpr std::array<char, 1400> kUnread{};
        if (::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &kLeast, sizeof kLeast) != 0 ||
            ::send(ends[1], kUnread.data(), kUnread.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            throw Refusal{errno};
        return sockets;
    }
};

}  // namespace rnicsim::programs
