// What to read when a run fails: who waits for what, what the buffers hold, and the frames before.
#pragma once

#include "model/system.h"
#include "testbench/scoreboard.h"

#include <string>

namespace rnicsim {

/// `what`: went wrong. Several lines, each with its end but the first, which is `what`.
std::string diagnosis(const RunConfig& config, System& system, const Scoreboard& board, const std::string& what);

}  // namespace rnicsim
