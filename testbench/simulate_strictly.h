// A run for comparison with models: its blocks in Verilog are held to all that is promised of their ports.
#pragma once

#include "testbench/event_log.h"
#include "testbench/run_result.h"

namespace rnicsim {

/// As simulate_recorded(), which uses a block whatever its timing. Throws RunError, too, where a port has not what
/// rtl/README.md promises.
RunResult simulate_strictly(const RunConfig& config, EventSink& sink);

}  // namespace rnicsim
