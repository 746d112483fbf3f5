// SPDX-License-Identifier: Apache-2.0
// The way to a broken rule between the two ends of an application's connection, as a ladder for the terminal.
#pragma once

#include "testbench/explore/applications/pair_world.h"

#include <string>
#include <vector>

namespace rnicsim::explore {

/// Lines of at most 120 columns: who asks at the left, who answers at the right; `rule` at the end.
std::string draw_pair(const PairPlan& plan, const std::vector<PairMove>& trace, const std::string& rule);

}  // namespace rnicsim::explore
