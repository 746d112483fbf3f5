// SPDX-License-Identifier: Apache-2.0
// `rnicsim serve` and `rnicsim exec`: programs of the machine on the hosts of a scenario.
#pragma once

#include "testbench/cli/program_words.h"
#include "testbench/records/observe_request.h"
#include "testbench/scenario/scenario.h"
#include "testbench/sweep/sweep.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct ServeOptions {
    std::filesystem::path socket;  ///< empty: in a new folder among the temporary files
    bool free = false;             ///< time goes on by itself
    ObserveRequest observe;
    bool reads_flush = false;        ///< a READ that completes tells that the WRITEs before it are durable
    bool replies_flush = false;      ///< a message that answers one does
    std::string cut_at;              ///< a time; empty: none
    bool machine_network = false;    ///< exec: programs have no network of this run's own
    bool together = false;           ///< exec: all programs begin at once
    std::vector<std::string> until;  ///< exec: it ends when these have ended; none: when all have
};

/// Takes programs until it is interrupted.
ExitCode serve(const Scenario& scenario, const ServeOptions& options, const std::function<bool()>& interrupted);
/// Runs these, each begun when the one before is ready for it; until all have ended, or one that others should have
/// followed has failed. Returns the exit code of the first one that has failed, or 0.
int execute(const Scenario& scenario, const ServeOptions& options, const std::vector<ProgramOnHost>& programs,
            const std::function<bool()>& interrupted);

}  // namespace rnicsim::runner
