// SPDX-License-Identifier: Apache-2.0
// `rnicsim workloads`: which kinds of work there are, and how to write one down.
#pragma once

#include "testbench/results/exit_code.h"

#include <string>

namespace rnicsim::runner {

struct WorkloadsOptions {
    std::string name;       ///< empty: all, a line each
    bool scenario = false;  ///< only its scenario
};

/// Prints it. Throws ScenarioError.
ExitCode workloads(const WorkloadsOptions& options);

}  // namespace rnicsim::runner
