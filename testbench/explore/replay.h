// SPDX-License-Identifier: Apache-2.0
// The scenario under which the simulator does what a counter-example shows: its fault tape names hosts and links of it.
#pragma once

#include "testbench/explore/bounds.h"

#include <string>

namespace rnicsim::explore {

/// Its timers, in cycles.
struct ReplayTimers {
    int request = 300'000;
    int data = 62'500;
    int release = 62'500;
    int idle = 12'500'000;
};
inline constexpr ReplayTimers kReplayTimers;

/// As lines of a tape's comment. `slow_host`: registration takes longer than the request timer.
std::string replay_scenario(const Setting& setting, bool slow_host);

/// The way of a frame between two ends, as the tape names it: "a>b". In a network each end has a link to a switch, and
/// that of b is for all; so it is the other end's link, "a>s0" or "s0>a".
std::string replay_way(const Setting& setting, unsigned from, unsigned to);

}  // namespace rnicsim::explore
