// SPDX-License-Identifier: Apache-2.0
// Whether a frame gets a mark of congestion, by the length of its queue (RED, Floyd and Jacobson 1993, without
// average).
#pragma once

#include "model/network/switch/config.h"
#include "tlm/time/mac_timing.h"

#include <cstdint>

namespace rnicsim {

/// The chance: 0 up to kmin, then linear up to pmax at kmax, and 1 beyond. `queue`: bytes, the frame included.
double mark_chance(const EcnConfig& config, const MacTiming& port, std::int64_t queue);

}  // namespace rnicsim
