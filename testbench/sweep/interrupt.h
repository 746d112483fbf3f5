// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and the other signals that end a program, as a flag that the runner asks for.
#pragma once

#include <csignal>

namespace rnicsim::runner {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE (nobody reads what is printed) only set a flag, so that whoever
/// made files can remove them; the former handlers come back afterwards.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    bool interrupted() const;

  private:
    struct sigaction old_int_ {};
    struct sigaction old_term_ {};
    struct sigaction old_hup_ {};
    struct sigaction old_pipe_ {};
};

}  // namespace rnicsim::runner
