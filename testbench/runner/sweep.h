// All runs of a scenario: simulated in the pool, kept in the journal, reduced to the files in the output folder.
#pragma once

#include "testbench/runner/pool.h"
#include "testbench/scenario/scenario.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace rnicsim::runner {

/// Exit codes of the program; `rnicsim --help` explains them.
enum ExitCode : int { kOk = 0, kSimulationFailed = 1, kBadInput = 2, kIncomplete = 3, kInterrupted = 130 };

struct SweepOptions {
    std::filesystem::path out;
    std::vector<Override> overrides;  ///< for the manifest
    unsigned jobs = 1;
    bool transfers_csv = false;
    bool fresh = false;
    bool quiet = false;
    bool plot = true;
};

/// Throws OutputError if the results cannot be written, std::system_error if no worker can be started.
ExitCode run_sweep(const Scenario& scenario, const SweepOptions& options, const Simulate& simulate,
                   const std::function<bool()>& interrupted);

}  // namespace rnicsim::runner
