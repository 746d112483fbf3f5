// SPDX-License-Identifier: Apache-2.0
// Ports that wait for one another, each paused by the next one's switch: no frame of theirs ever leaves (T. Hu and
// others, "Tagger", 2017).
#pragma once

#include "model/config.h"
#include "model/system.h"

#include <string>

namespace rnicsim {

/// "PFC deadlock: s0.s1, s1.s2 and s2.s0 wait for one another; ", or nothing if there is no such circle.
std::string pfc_deadlock(const RunConfig& config, System& system);

}  // namespace rnicsim
