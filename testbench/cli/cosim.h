// `rnicsim cosim`: each run of a scenario twice, with models and with Verilog, and their events compared one by one.
#pragma once

#include "testbench/scenario/scenario.h"
#include "testbench/sweep/event_pipe.h"
#include "testbench/sweep/sweep.h"

#include <string>

namespace rnicsim::runner {

/// Does the scenario name Verilog for a block?
bool has_verilog(const Scenario& scenario);

/// Compares every run; of the Verilog of the one that `wave_run` names (as for chosen_run()) it leaves the waveforms.
/// Prints how many events matched, or the first divergence with what both sides did around it (kSimulationFailed), or
/// which side crashed (kIncomplete).
ExitCode cosimulate(const Scenario& scenario, const Record& record, const WaveRequest& wave = {},
                    const std::string& wave_run = "");

}  // namespace rnicsim::runner
