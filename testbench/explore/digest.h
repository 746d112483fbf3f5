// SPDX-License-Identifier: Apache-2.0
// Digests of DRP's world and its ends.
#pragma once

#include "testbench/explore/mixer.h"
#include "testbench/explore/world.h"

#include <cstdint>

namespace rnicsim::explore {

/// Of all that can matter later. Not part of it: counters, the number of a transmission, how long a timer still has
/// (only whether it runs).
Digest digest(const World& world);
/// Of one end's table, indirect buffer and fetched frames. `duplicate_limit`: duplicate acknowledgements that start a
/// fast retransmission; more than that make no difference.
Digest digest(const End& end, std::uint32_t duplicate_limit);
/// Of its entries and slots of other peers than this one. Without what was given up: its place may be taken.
Digest digest_of_others(const End& end, Peer peer, std::uint32_t duplicate_limit);

}  // namespace rnicsim::explore
