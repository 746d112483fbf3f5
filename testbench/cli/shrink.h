// SPDX-License-Identifier: Apache-2.0
// `rnicsim shrink`: looks for the fewest faults of a tape with which a run still shows what is wanted.
#pragma once

#include "testbench/scenario/scenario.h"
#include "testbench/sweep/pool.h"
#include "testbench/sweep/sweep.h"

#include <functional>
#include <string>

namespace rnicsim::runner {

struct ShrinkOptions {
    std::string tape;    ///< to begin with; empty = what goes wrong in the run by itself
    std::string out;     ///< file for the tape that is left
    std::string run;     ///< label, as for chosen_run()
    std::string wanted;  ///< what a run has to show: "failure", "error", or "COUNTER>=N"
    unsigned jobs = 1;
};

/// Takes faults off the tape as long as the run shows what is wanted (delta debugging, A. Zeller and R. Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", 2002: the tape that is left is 1-minimal). If it is interrupted,
/// or loses a worker, it writes the smallest tape so far. Throws ScenarioError, OutputError.
ExitCode shrink(const Scenario& scenario, const ShrinkOptions& options, const Simulate& simulate,
                const std::function<bool()>& interrupted);

}  // namespace rnicsim::runner
