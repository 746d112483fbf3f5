// SPDX-License-Identifier: Apache-2.0
// How long a frame may be on its way, whoever sends it: what the watchdogs of all personalities count with.
#pragma once

#include "model/config.h"

#include <cstdint>

namespace rnicsim {

/// Links between two hosts: at most one more than there are switches.
std::int64_t most_hops(const RunConfig& config);

/// How long a frame can wait in all switches, each full.
Time held_by_switches(const RunConfig& config);

}  // namespace rnicsim
