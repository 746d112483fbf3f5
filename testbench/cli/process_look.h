// SPDX-License-Identifier: Apache-2.0
// What the operating system says of a process of this machine, in /proc.
#pragma once

#include <sys/types.h>

#include <vector>

namespace rnicsim::runner {

/// It and all that it has started, and so on. A kernel without /proc/PID/task/TID/children: it alone.
std::vector<pid_t> family_of(pid_t process);
/// All its threads wait for something: for another program, perhaps. True of one that is no more.
bool rests(pid_t process);
/// It has a socket of TCP that takes connections.
bool listens_by_tcp(pid_t process);

}  // namespace rnicsim::runner
