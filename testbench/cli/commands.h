// SPDX-License-Identifier: Apache-2.0
// The subcommands that simulate nothing.
#pragma once

#include "testbench/scenario/scenario.h"
#include "testbench/sweep/sweep.h"

#include <filesystem>
#include <vector>

namespace rnicsim::runner {

/// load_scenario(), and what results ask of a scenario beyond it.
Scenario load(const std::filesystem::path& file, const std::vector<Override>& overrides,
              const std::vector<AxisOption>& axes, Purpose purpose = {});

/// All runs of the scenario play this fault tape; an empty name: none. Throws ScenarioError.
void play_tape(Scenario& scenario, const std::string& file);

/// Checks every file, prints a line for each, and goes on after a bad one.
ExitCode validate(const std::vector<std::filesystem::path>& files, const std::vector<Override>& overrides,
                  const std::vector<AxisOption>& axes, Purpose purpose);

/// Prints the resolved system as a tree, and the points of the sweep.
ExitCode describe(const Scenario& scenario);

ExitCode print_version();

}  // namespace rnicsim::runner
