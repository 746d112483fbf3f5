// SPDX-License-Identifier: Apache-2.0
// `rnicsim cosim`: simulates each run of a scenario with models and with Verilog, and compares the events one by one.
#pragma once

#include "testbench/scenario/scenario.h"
#include "testbench/sweep/event_pipe.h"
#include "testbench/sweep/sweep.h"

#include <cstdint>
#include <string>

namespace rnicsim::runner {

/// Throws ScenarioError if there is nothing to compare: others than DRP RNICs are models only.
void check_has_drp(const Scenario& scenario);

/// Does the scenario name Verilog for a block?
bool has_verilog(const Scenario& scenario);

/// Of blocks with AXI-Stream ports; the first of others, too.
struct StreamOptions {
    std::uint64_t stress = 0;  ///< so many frames go to each MAC and filter in Verilog before the runs; 0: none
    std::string dump;          ///< file that gets the frames of the run that waveforms are of; empty: none
};

/// Compares every run. Leaves the waveforms of the Verilog of the run that `wave_run` names (as for chosen_run()).
/// Prints how many events were equal, or the first divergence with the events around it (kSimulationFailed), or which
/// side crashed (kIncomplete). Runs with blocks that have the contract of transactions are compared by those.
ExitCode cosimulate(const Scenario& scenario, const Record& record, const WaveRequest& wave = {},
                    const std::string& wave_run = "", const StreamOptions& streams = {});

}  // namespace rnicsim::runner
