// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/false_persistence.h"

#include "testbench/results/text.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>

namespace rnicsim::runner {

ExitCode tell_false(const Scenario& scenario, const std::vector<FalseRun>& runs) {
    constexpr std::size_t kMostLines = 6;
    for (std::size_t i = 0; i < std::min(runs.size(), kMostLines); ++i) {
        const auto& values = scenario.points.at(runs[i].key.point).values;
        spdlog::error("run {}{}: false persistence: {}", run_label(scenario, runs[i].key),
                      values.empty() ? "" : " (" + point_label(values) + ")", runs[i].example);
    }
    if (runs.size() > kMostLines)
        spdlog::error("false persistence in {} more", counted(runs.size() - kMostLines, "run"));
    return runs.empty() ? kOk : kSimulationFailed;
}

}  // namespace rnicsim::runner
