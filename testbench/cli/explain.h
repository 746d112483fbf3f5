// SPDX-License-Identifier: Apache-2.0
// `rnicsim explain`: what happens to one transfer, as a ladder.
#pragma once

#include "testbench/cli/cosim.h"
#include "testbench/observe/ladder.h"
#include "testbench/results/journal.h"
#include "testbench/scenario/scenario.h"

#include <optional>
#include <string>

namespace rnicsim::runner {

struct ExplainOptions {
    std::string transfer;   ///< "7", or with its initiator "b7"
    std::string program;    ///< "a:0", or its name; of a recording
    std::string recording;  ///< .run; empty: the scenario is simulated
    std::string run;        ///< label, as for chosen_run()
    std::string file;       ///< .svg or .html to draw; empty = none
    bool every_frame = false;
};

/// What a recording of programs has of a message, or of a program. Throws ScenarioError.
ExitCode explain_recorded(const Scenario& scenario, const ExplainOptions& options);

/// Of a run's ladder: what it is about, of which run, and what became of it.
std::string title_of(const Scenario& scenario, const RunKey& key, const Ladder& ladder);

/// Prints it, and draws it where that is asked for.
void show(const Ladder& ladder, const std::string& file);

/// Simulates the run that the transfer belongs to, as far as the transfer's end, and prints its ladder. Throws
/// ScenarioError.
ExitCode explain(const Scenario& scenario, const ExplainOptions& options, const Record& record);

}  // namespace rnicsim::runner
