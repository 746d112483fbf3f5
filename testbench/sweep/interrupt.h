// Ctrl-C and SIGTERM as a flag that the runner asks for.
#pragma once

#include <csignal>

namespace rnicsim::runner {

/// While it lives, SIGINT and SIGTERM only set a flag; the former handlers come back afterwards.
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
};

}  // namespace rnicsim::runner
