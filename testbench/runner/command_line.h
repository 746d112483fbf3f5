// The program `rnicsim` without its main(): tests call it with a simulation of their own.
#pragma once

#include "testbench/runner/cosim.h"
#include "testbench/runner/pool.h"

namespace rnicsim::runner {

/// Parses the arguments, does what they ask, and returns the exit code. Errors go to stderr, one line each.
/// `record`: for `cosim`, which fails without it.
int run_command_line(int argc, const char* const* argv, const Simulate& simulate, const Record& record = {});

}  // namespace rnicsim::runner
