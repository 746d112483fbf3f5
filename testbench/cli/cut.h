// SPDX-License-Identifier: Apache-2.0
// `rnicsim cut`: what a cut of a responder's power finds, at all instants of a run or where the run really stops.
#pragma once

#include "testbench/results/exit_code.h"
#include "testbench/scenario/scenario.h"
#include "testbench/sweep/pool.h"

#include <string>
#include <vector>

namespace rnicsim::runner {

struct CutOptions {
    std::string at;    ///< "12.5 us"; empty: at all instants
    std::string csv;   ///< a row a change; empty = none
    std::string host;  ///< whose power; empty: the first responder
    std::string run;   ///< label, as for chosen_run()
};

/// The hosts at which items with a scheme are made durable, in the order of the traffic. Throws ScenarioError if there
/// is none.
std::vector<unsigned> durable_hosts(const Scenario& scenario, const RunConfig& config);

/// "12.5 us" of an option. Throws ScenarioError.
Time instant_of(const std::string& option, const std::string& text);
/// Exact, as instant_of() takes it.
std::string instant_text(Time time);

/// Simulates the run in this process, which can have no other one, and prints the answer. Throws ScenarioError.
ExitCode cut(const Scenario& scenario, const CutOptions& options, const Simulate& simulate);

}  // namespace rnicsim::runner
