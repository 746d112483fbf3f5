// SPDX-License-Identifier: Apache-2.0
// `rnicsim crash`: what a crash of an initiator leaves at the responders when all has come to rest.
#pragma once

#include "testbench/results/exit_code.h"
#include "testbench/scenario/scenario.h"
#include "testbench/sweep/pool.h"

#include <cstdint>
#include <string>

namespace rnicsim::runner {

struct CrashOptions {
    std::string at;             ///< "12.5 us"; empty: at all instants, or some
    std::string csv;            ///< a row a change; empty = none
    std::string host;           ///< who crashes; empty: the first initiator
    std::string what = "host";  ///< kCrashNames
    std::string run;            ///< label, as for chosen_run()
    std::uint32_t samples = 0;  ///< random instants; 0: all
    unsigned jobs = 1;
};

/// Simulates the run in this process, which can have no other one, with copies of it that crash; for all or random
/// instants in a process of its own before that, which says where they are. Throws ScenarioError.
ExitCode crash(const Scenario& scenario, const CrashOptions& options, const Simulate& simulate);

}  // namespace rnicsim::runner
