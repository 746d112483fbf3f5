// SPDX-License-Identifier: Apache-2.0
// The message of a failed run: who waits for what, what the buffers hold, and the last frames.
#pragma once

#include "model/system.h"
#include "testbench/workloads/works.h"

#include <string>

namespace rnicsim {

/// `what`: the failure, the first line. The lines after it end with '\n'.
std::string diagnosis(const RunConfig& config, System& system, const Works& works, const std::string& what);

}  // namespace rnicsim
