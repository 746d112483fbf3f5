// One forked process that simulates one run and sends the outcome back.
#pragma once

#include "testbench/forked_text.h"
#include "testbench/sweep/pool.h"

#include <cstddef>

namespace rnicsim::runner {

class Worker {
  public:
    /// Forks. Throws std::system_error if the system has no process or pipe left.
    Worker(std::size_t run, const RunRequest& request, const Simulate& simulate);

    [[nodiscard]] std::size_t run() const { return run_; }
    [[nodiscard]] int fd() const { return process_.fd(); }

    /// Takes what has come; true at the end. Call when poll() says that there is something.
    bool read_some() { return process_.read_some(); }

    /// After read_some() returned true: waits for the process and says how the run ended.
    RunOutcome collect();

  private:
    std::size_t run_ = 0;
    ForkedText process_;
};

}  // namespace rnicsim::runner
