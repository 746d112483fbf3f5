// How long a run may go without progress before the watchdog stops it. An upper bound: who waits longer waits in vain.
#pragma once

#include "model/config.h"

namespace rnicsim {

/// The watchdog of the scenario, which outlasts every timer, and what may come on top: the link may hold frames, a
/// transfer tries more than once, and what it has sent may wait behind all else in queues, memory and software.
Cycle patience(const RunConfig& config);

}  // namespace rnicsim
