// SPDX-License-Identifier: Apache-2.0
// The program `rnicsim` without its main(): tests call it with a simulation of their own.
#pragma once

#include "testbench/cli/cosim.h"
#include "testbench/sweep/pool.h"

namespace rnicsim::runner {

/// Parses the arguments, does what they ask, and returns the exit code. Errors go to stderr, one line each.
/// `record`, `record_strictly`: needed by `explain` and `cosim`.
int run_command_line(int argc, const char* const* argv, const Simulate& simulate, const Record& record = {},
                     const Record& record_strictly = {});

}  // namespace rnicsim::runner
