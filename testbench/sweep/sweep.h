// SPDX-License-Identifier: Apache-2.0
// All runs of a scenario: simulated in the pool, kept in the journal, reduced to the files in the output folder.
#pragma once

#include "testbench/results/exit_code.h"
#include "testbench/results/products.h"
#include "testbench/results/shard.h"
#include "testbench/scenario/scenario.h"
#include "testbench/sweep/pool.h"

#include <functional>
#include <optional>

namespace rnicsim::runner {

struct SweepOptions : ProductOptions {
    unsigned jobs = 1;
    bool fresh = false;
    ObserveRequest observe;      ///< of one run
    std::string observed;        ///< its label; empty = run_to_look_at() of those wanted
    std::optional<Shard> shard;  ///< only this share is simulated, and its runs are all that it leaves
};

/// Throws OutputError if the results cannot be written, std::system_error if no worker can be started.
ExitCode run_sweep(const Scenario& scenario, const SweepOptions& options, const Simulate& simulate,
                   const std::function<bool()>& interrupted);

}  // namespace rnicsim::runner
