// SPDX-License-Identifier: Apache-2.0
// How much may still come of a class after a switch has decided to pause its sender. Until the sender stops there may
// be, one after the other: the frame that the port is sending, the pause frame, the wire in both directions, the
// sender's reaction, and a frame that it has just begun; and the frame that crossed the threshold.
#pragma once

#include "model/network/link/config.h"
#include "model/network/switch/config.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

/// Bytes, for the rate and the delay of the link. `reaction`: of the sender.
std::int64_t needed_headroom(const SwitchConfig& config, const LinkConfig& link, Time reaction);

/// The shortest pause that holds until it is said again at half of its length: that may wait for a frame of the port,
/// and the sender reacts to it as late as to the first.
Time shortest_pause(const SwitchConfig& config, const LinkConfig& link, Time reaction);

}  // namespace rnicsim
