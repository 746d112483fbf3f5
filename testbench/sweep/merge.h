// SPDX-License-Identifier: Apache-2.0
// One result folder from the runs that shards have left in several.
#pragma once

#include "testbench/sweep/sweep.h"

#include <filesystem>
#include <vector>

namespace rnicsim::runner {

/// Looks for every run of the scenario in the folders, or in options.out itself if there are none. If all are there,
/// copies them to options.out and writes the products; if not, says which are missing and writes nothing. Throws
/// OutputError, or ScenarioError if a folder's shards are another sweep's.
ExitCode merge_shards(const Scenario& scenario, const ProductOptions& options,
                      const std::vector<std::filesystem::path>& folders);

}  // namespace rnicsim::runner
