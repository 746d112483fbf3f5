// `rnicsim crash`: what a crash of an initiator leaves at the responders when all has come to rest.
#pragma once

#include "testbench/results/exit_code.h"
#include "testbench/scenario/scenario.h"
#include "testbench/sweep/pool.h"

#include <cstdint>
#include <functional>
#include <string>

namespace rnicsim::runner {

struct CrashOptions {
    std::string at;             ///< "12.5 us"; empty: at random
    std::string host;           ///< who crashes; empty: the first initiator
    std::string what = "host";  ///< kCrashNames
    std::string run;            ///< label, as for chosen_run()
    std::uint32_t samples = 200;
    unsigned jobs = 1;
};

/// Simulates the run without a crash, then once a sample with one. Throws ScenarioError.
ExitCode crash(const Scenario& scenario, const CrashOptions& options, const Simulate& simulate,
               const std::function<bool()>& interrupted);

}  // namespace rnicsim::runner
