// SPDX-License-Identifier: Apache-2.0
// `rnicsim explore --personality rc`: the same for RoCEv2's decisions.
#pragma once

#include "testbench/explore/rc/standard_set.h"
#include "testbench/sweep/sweep.h"

#include <cstddef>
#include <vector>

namespace rnicsim::runner {

struct RcExploreOptions {
    std::vector<rc::AnyWorkload> workloads;
    std::size_t max_states = 0;  ///< of each
    bool list = false;           ///< only their names are printed
    bool each_rule = false;      ///< goes on behind a broken rule
};

/// Explores, and prints a line for each. At the first broken rule, or at each, it prints the way there, and returns
/// kSimulationFailed. kIncomplete: max_states ended a search.
ExitCode explore_rc(const RcExploreOptions& options);

}  // namespace rnicsim::runner
