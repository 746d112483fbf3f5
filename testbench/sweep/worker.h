// SPDX-License-Identifier: Apache-2.0
// One forked process that simulates one run and sends the outcome back.
#pragma once

#include "testbench/processes/forked_text.h"
#include "testbench/sweep/pool.h"

#include <cstddef>
#include <filesystem>

namespace rnicsim::runner {

class Worker {
  public:
    /// Forks. Throws std::system_error if the system has no process or pipe left.
    Worker(std::size_t run, const RunRequest& request, const Simulate& simulate);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    [[nodiscard]] std::size_t run() const { return run_; }
    [[nodiscard]] int fd() const { return process_.fd(); }

    /// Takes what has come; true at the end. Call when poll() says that there is something.
    bool read_some() { return process_.read_some(); }

    /// After read_some() returned true: waits for the process and says how the run ended.
    RunOutcome collect();

  private:
    std::size_t run_ = 0;
    std::filesystem::path records_;  ///< base of the files of its result's records
    bool keeps_records_ = false;     ///< somebody else wants these files
    ForkedText process_;
};

}  // namespace rnicsim::runner
