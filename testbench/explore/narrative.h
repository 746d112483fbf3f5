// SPDX-License-Identifier: Apache-2.0
// A way through the exploration in words, and as a fault tape.
#pragma once

#include "testbench/explore/action.h"
#include "testbench/explore/bounds.h"
#include "testbench/explore/world.h"

#include <string>
#include <vector>

namespace rnicsim::explore {

/// One line for each step, and one for each thing that follows from it, indented.
Lines in_words(const Setting& setting, const std::vector<Action>& trace);

/// The faults of the way as a fault tape, with the way and a scenario to replay it under as comments. `breach`: what is
/// broken at its end.
std::string fault_tape(const Setting& setting, const std::vector<Action>& trace, const std::string& breach);

}  // namespace rnicsim::explore
