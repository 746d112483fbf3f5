// SPDX-License-Identifier: Apache-2.0
// `rnicsim explore`: every order of events of small workloads, through the real decision logic.
#pragma once

#include "testbench/cli/explore_application.h"
#include "testbench/cli/explore_ntb.h"
#include "testbench/cli/explore_rc.h"
#include "testbench/explore/bounds.h"
#include "testbench/sweep/sweep.h"

#include <cstdint>
#include <filesystem>

namespace rnicsim::runner {

struct ExploreOptions {
    enum class Of : std::uint8_t { drp, rc, ntb, application } of = Of::drp;  ///< which of these is looked at
    ExploreApplicationOptions application;
    NtbExploreOptions ntb;
    RcExploreOptions rc;
    // DRP's
    explore::Bounds bounds;
    bool standard = true;        ///< the whole standard set; `bounds` is not looked at
    bool list = false;           ///< only the bounds are printed
    std::filesystem::path tape;  ///< where a counter-example goes; empty = only onto the screen
};

/// Explores, and prints a line for each set of bounds. At the first broken rule it prints the way there and the fault
/// tape, and returns kSimulationFailed. kIncomplete: max_states ended a search. Throws OutputError.
ExitCode explore(const ExploreOptions& options);

}  // namespace rnicsim::runner
