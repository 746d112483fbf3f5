// SPDX-License-Identifier: Apache-2.0
// A run for comparison with models: its blocks in Verilog must do all that rtl/README.md promises of their ports.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"

namespace rnicsim {

/// As simulate_recorded(), which accepts any timing of a block. Throws RunError, too, if a port breaks a promise of
/// rtl/README.md.
RunResult simulate_strictly(const RunRequest& request, EventSink& sink);

}  // namespace rnicsim
