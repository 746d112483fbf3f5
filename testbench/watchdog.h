// How long a run may go without progress before the watchdog stops it. An upper bound: a longer wait never ends.
#pragma once

#include "model/config.h"

#include <array>

namespace rnicsim {

/// The scenario's `watchdog`, which outlasts every timer, and what may be added to it: the link may hold frames, a
/// transfer tries more than once, and its frames may wait behind all others in queues, memory and software.
Cycle watchdog_limit(const RunConfig& config);

/// What has to be added now. `work`: how long the core of each end needs to try all waiting regions once. It may do so
/// before it takes an event, and again before it has handled it; ordinary frames are events as well.
Cycle held_by_registrations(const RunConfig& config, const std::vector<Cycle>& work);

/// How long a frame in an RNIC may wait for its decision, behind all frames of the transfers in progress, of those that
/// failed lately and whose memory rests (one more than are in progress, twice), and of the receive buffer.
Cycle undecided(const RunConfig& config);

}  // namespace rnicsim
