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

/// Ours, and the program's. Throws Refusal.
inline std::array<Descriptor, 2> event_sockets() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw Refusal{errno};
    std::array<Descriptor, 2> made{Descriptor(ends[0]), Descriptor(ends[1])};
    rlimit most{};  // the lowest number that is free is given
    if (::getrlimit(RLIMIT_NOFILE, &most) == 0 && static_cast<rlim_t>(ends[1]) + kKeptDescriptors >= most.rlim_cur)
        throw Refusal{EMFILE};
    return made;
}

}  // namespace rnicsim::programs
