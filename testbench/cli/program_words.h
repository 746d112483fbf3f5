// SPDX-License-Identifier: Apache-2.0
// The programs on the command line of `rnicsim exec`.
#pragma once

#include <string>
#include <vector>

namespace rnicsim::runner {

/// One program and its arguments, on a host.
struct ProgramOnHost {
    std::string host;
    std::vector<std::string> command;
    bool joins = false;  ///< it begins together with the one before
};

/// As messages call it.
std::string name_of(const ProgramOnHost& program);
/// "--on", NAME, "--", PROGRAM, ARGUMENTS, and again. Throws ScenarioError.
std::vector<ProgramOnHost> programs_of(const std::vector<std::string>& words);
/// Those that `names` mean: hosts, hosts with a number, programs. Throws ScenarioError if one means none.
std::vector<bool> named(const std::vector<ProgramOnHost>& programs, const std::vector<std::string>& names);

}  // namespace rnicsim::runner
