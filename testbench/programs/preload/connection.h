// The sockets of a process to the simulator, one a thread. A thread's is made at its first use and closed at its end; a
// forked child closes those that it inherits and makes its own.
#pragma once

#include "testbench/programs/protocol/messages.h"

namespace rnicsim::programs {

struct Connection {
    int fd = -1;
    std::int64_t clock = 0;
    Welcome welcome;
    Connection* next = nullptr;  ///< of the open ones of the process
    Connection* previous = nullptr;
};

/// The thread's; without a socket if it has none yet.
Connection& thread_connection();

/// Makes the thread's if it has none. 0 or an errno, after one line on standard error.
int connect_thread(Connection& connection);

/// Whether the simulator has gone while it was in use: then nothing reaches it any more, as a new one would not know
/// what this process holds.
bool simulator_gone();

/// Remembers that, closes the thread's socket, says so once; returns EIO.
int lose_simulator(Connection& connection, const char* why);

}  // namespace rnicsim::programs
