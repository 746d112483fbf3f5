// SPDX-License-Identifier: Apache-2.0
// How long transfers may do nothing that can be seen: their part of the watchdog's limit.
#pragma once

#include "model/config.h"

#include <vector>

namespace rnicsim {

/// A transfer tries more than once, and its frames may wait behind all others in queues, memory and software.
Cycle held_by_transfers(const RunConfig& config);

/// What has to be added now. `work`: how long the core of each end needs to try all waiting regions once. It may do so
/// before it takes an event, and again before it has handled it; ordinary frames are events as well.
Cycle held_by_registrations(const RunConfig& config, const std::vector<Cycle>& work);

/// How long a frame in an RNIC may wait for its decision, behind all frames of the transfers in progress, of those that
/// failed lately and whose memory rests (one more than are in progress, twice), and of the receive buffer.
Cycle undecided(const RunConfig& config);

}  // namespace rnicsim
