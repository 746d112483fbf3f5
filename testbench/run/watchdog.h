// SPDX-License-Identifier: Apache-2.0
// How long a run may go without progress before the watchdog stops it. An upper bound: a longer wait never ends.
#pragma once

#include "model/config.h"
#include "model/system.h"

#include <string>

namespace rnicsim {

/// The scenario's `watchdog`, which outlasts every timer, and what may be added to it: the link may hold frames, a
/// transfer tries more than once, and its frames may wait behind all others in queues, memory and software.
Time watchdog_limit(const RunConfig& config);

/// The message of a run in which nothing has happened for so long.
std::string standstill(const RunConfig& config, System& system, Time waited);

}  // namespace rnicsim
