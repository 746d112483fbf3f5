// SPDX-License-Identifier: Apache-2.0
// `rnicsim explore --application`: every order in which the two ends of a connection can see what comes.
#pragma once

#include "testbench/results/exit_code.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct ExploreApplicationOptions {
    std::string application;
    std::vector<std::uint32_t> sizes;  ///< of its operations, bytes; none: a few
    std::vector<std::string> sets;     ///< KEY=VALUE
    std::size_t max_states = 0;
    bool list = false;
};

/// Throws ScenarioError.
ExitCode explore_application(const ExploreApplicationOptions& options);

}  // namespace rnicsim::runner
