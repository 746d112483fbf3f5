// SPDX-License-Identifier: Apache-2.0
// A pool of forked processes, one a run: SystemC elaborates once a process.
#pragma once

#include "testbench/records/run_result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace rnicsim::runner {

using Simulate = std::function<RunResult(const RunRequest&)>;

struct RunOutcome {
    enum class Kind {
        finished,  ///< `result` holds the run
        failed,    ///< the simulation threw; `message` is its diagnosis
        refused,   ///< the system refused something, such as room for the records; `message` says what
        died,      ///< the worker ended for a reason outside the simulation; `message` says how
    };
    Kind kind = Kind::died;
    RunResult result;
    std::string message;
    int error = 0;  ///< refused: the errno
};

struct PoolCallbacks {
    std::function<void(std::size_t run, RunOutcome outcome)> on_end;  ///< in order of completion
    std::function<void()> on_tick = [] {};                            ///< a few times a second
    std::function<bool()> interrupted = [] { return false; };         ///< true: stop launching, kill the workers
};

enum class PoolEnd { completed, interrupted };

/// Runs them all, at most `jobs` at once. Throws std::system_error if no process can be started at all; an exception
/// from a callback passes through. No worker outlives the call, however it ends.
PoolEnd run_pool(const std::vector<RunRequest>& runs, unsigned jobs, const Simulate& simulate,
                 const PoolCallbacks& callbacks);

}  // namespace rnicsim::runner
