// SPDX-License-Identifier: Apache-2.0
// The way to a broken rule of a ring, as a ladder for the terminal.
#pragma once

#include "testbench/explore/ntb/ring_world.h"

#include <string>
#include <vector>

namespace rnicsim::explore {

/// Lines of at most 120 columns: the sender's core, its buffers, the bridge, the receiver; `rule` at the end.
std::string draw_ring(const RingSetting& setting, const std::vector<RingMove>& trace, const std::string& rule);

}  // namespace rnicsim::explore
