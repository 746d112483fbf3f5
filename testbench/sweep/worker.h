// One forked process that simulates one run and sends the outcome back through a pipe.
#pragma once

#include "testbench/sweep/pool.h"

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace rnicsim::runner {

/// What waitpid() said of a process that did not end as it should, in words.
std::string how_it_died(int status);

class Worker {
  public:
    /// Forks. Throws std::system_error if the system has no process or pipe left.
    Worker(std::size_t run, const RunRequest& request, const Simulate& simulate);
    ~Worker();  ///< kills and reaps a process that has not been collected
    Worker(Worker&& other) noexcept;
    Worker& operator=(Worker&&) = delete;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    std::size_t run() const { return run_; }
    int fd() const { return fd_; }

    /// Takes what the pipe has; true at its end. Call when poll() says that there is something.
    bool read_some();

    /// After read_some() returned true: waits for the process and says how the run ended.
    RunOutcome collect();

  private:
    std::size_t run_ = 0;
    pid_t pid_ = -1;
    int fd_ = -1;
    std::string received_;
};

}  // namespace rnicsim::runner
