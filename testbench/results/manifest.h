// SPDX-License-Identifier: Apache-2.0
// manifest.json: what was run, by which program, on which machine, and what it cost.
#pragma once

#include "testbench/results/shard_record.h"
#include "testbench/results/summary.h"

#include <cstddef>
#include <string>
#include <vector>

namespace rnicsim::runner {

/// What differs from call to call.
struct CallInfo {
    std::vector<Override> overrides;
    unsigned jobs = 1;
    std::size_t resumed_runs = 0;       ///< taken from an earlier call
    double wall_seconds = 0;            ///< of this call's simulation
    std::vector<ShardRecord> shards{};  ///< of a merge: jobs and wall_seconds above are their sums
};

std::string manifest_json(const Scenario& scenario, const Summary& summary, const CallInfo& call);

}  // namespace rnicsim::runner
