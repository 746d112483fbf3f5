// SPDX-License-Identifier: Apache-2.0
// Calls scripts/compare, which runs both sides with this program.
#pragma once

#include "testbench/sweep/sweep.h"

#include <string>
#include <vector>

namespace rnicsim::runner {

/// `arguments`: those of the script; may name another program. kSimulationFailed: the sides differ; else as `rnicsim
/// --help` says. The reason is on stderr.
ExitCode compare_results(const std::vector<std::string>& arguments);

}  // namespace rnicsim::runner
