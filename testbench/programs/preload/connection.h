// SPDX-License-Identifier: Apache-2.0
// The sockets of a process to the simulator, one a thread. A thread's is made at its first use and closed at its end; a
// forked child closes those that it inherits and makes its own.
#pragma once

#include "testbench/programs/protocol/messages.h"

#include <algorithm>

namespace rnicsim::programs {

/// A program that waits for a clock to reach something asks for nothing else: from time to time a read is a request of
/// its own, so that others' time goes on. What it waits for besides is seen a sixteenth of its wait late.
class ClockReads {
  public:
    /// True: the time has come.
    bool count() { return ++reads_ >= due_; }
    void plan() { due_ = reads_ + std::clamp(reads_ / 16, 16U, 4096U); }
    void begin() { *this = {}; }

  private:
    unsigned reads_ = 0, due_ = 16;  ///< since the last other request
};

struct Connection {
    int fd = -1;
    std::int64_t clock = 0;
    Welcome welcome;
    bool busy = false;  ///< a request is under way; a handler of a signal must not begin another
    ClockReads reads;
    unsigned yields = 0;         ///< calls of sched_yield() since the last other request
    Connection* next = nullptr;  ///< of the open ones of the process
    Connection* previous = nullptr;
};

/// The thread's; without a socket if it has none yet.
Connection& thread_connection();

/// Who wants verbs hears why there is no simulator; who wants the time does not.
enum class Complaints : bool { none, one_line };

/// Makes the thread's if it has none. 0 or an errno.
int connect_thread(Connection& connection, Complaints complaints = Complaints::one_line);

/// The simulator's time, at any moment; 0 before the process's first connection.
std::int64_t simulated_now();

/// Whether the simulator has gone while it was in use: then nothing reaches it any more, as a new one would not know
/// what this process holds.
bool simulator_gone();

/// Remembers that, closes the thread's socket, says so once; returns EIO.
int lose_simulator(Connection& connection, const char* why);

}  // namespace rnicsim::programs
