// SPDX-License-Identifier: Apache-2.0
// Runs in which all transfers failed: why, from their settings or counters.
#pragma once

#include "testbench/records/run_result.h"
#include "testbench/results/exit_code.h"
#include "testbench/results/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct HopelessRun {
    RunKey key;
    std::string why;  ///< "all 25 transfers failed (request timeout): b.transport.segment_mismatch 400"
};

/// How the transfers of the run ended and the settings or counters that explain it, if not one was completed.
std::optional<std::string> why_all_failed(const RunConfig& config, const RunResult& result);

/// Prints a warning for each, in the order given; kOk if there is none.
ExitCode tell_hopeless(const Scenario& scenario, const std::vector<HopelessRun>& runs);

}  // namespace rnicsim::runner
