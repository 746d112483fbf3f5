// How long a run may go without progress before the watchdog stops it. An upper bound: who waits longer waits in vain.
#pragma once

#include "model/config.h"

#include <array>

namespace rnicsim {

/// The watchdog of the scenario, which outlasts every timer, and what may come on top: the link may hold frames, a
/// transfer tries more than once, and what it has sent may wait behind all else in queues, memory and software.
Cycle patience(const RunConfig& config);

/// What comes on top now. `work`: how long the core of each end needs to try all regions that wait once. It may do so
/// before it takes an event, and again before it has handled it; ordinary frames are events as well.
Cycle held_by_registrations(const RunConfig& config, const std::array<Cycle, 2>& work);

/// How long what has come to an RNIC may wait for a decision: all that the transfers under way send, those that have
/// failed lately and whose memory rests (one more than is under way, twice), and what the receive buffer holds.
Cycle undecided(const RunConfig& config);

}  // namespace rnicsim
