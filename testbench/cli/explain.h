// `rnicsim explain`: what happens to one transfer, as a ladder.
#pragma once

#include "testbench/cli/cosim.h"
#include "testbench/scenario/scenario.h"

#include <optional>
#include <string>

namespace rnicsim::runner {

struct ExplainOptions {
    std::string transfer;  ///< "7", or with its initiator "b7"
    std::string run;       ///< label, as for chosen_run()
    std::string file;      ///< .svg or .html to draw; empty = none
    bool every_frame = false;
};

/// Simulates the run that the transfer belongs to, as far as the transfer's end, and prints its ladder. Throws
/// ScenarioError.
ExitCode explain(const Scenario& scenario, const ExplainOptions& options, const Record& record);

}  // namespace rnicsim::runner
