// SPDX-License-Identifier: Apache-2.0
// Runs in which an initiator was told that data are durable which a power cut would have lost.
#pragma once

#include "testbench/results/exit_code.h"
#include "testbench/results/journal.h"

#include <string>
#include <vector>

namespace rnicsim::runner {

struct FalseRun {
    RunKey key;
    std::string example;  ///< RunResult::false_persistence
};

/// Prints an error for each, in the order given; kOk if there is none.
ExitCode tell_false(const Scenario& scenario, const std::vector<FalseRun>& runs);

}  // namespace rnicsim::runner
