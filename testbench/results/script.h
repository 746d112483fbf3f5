// SPDX-License-Identifier: Apache-2.0
// Runs other programs: the project's Python scripts, which draw what the program has computed, and Graphviz.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::runner {

constexpr int kMatplotlibMissing = 3;  ///< exit code of the scripts that draw

/// The script of this name in the source tree, or the one that stands relative to the program; empty if there is none.
std::filesystem::path find_script(std::string_view name);

enum class ScriptOutput { shown, hidden };  ///< of stdout; stderr is always shown

/// Runs a program, found in PATH, with its arguments. Its exit code, -1 if it could not be started or did not end by
/// itself.
int run_program(std::vector<std::string> command, ScriptOutput output);
/// Runs it with its arguments and Debian's Python.
int run_script(const std::filesystem::path& script, const std::vector<std::string>& arguments, ScriptOutput output);
/// Replaces this process by the script, so that the script gets its signals. Returns only if that is impossible.
void become_script(const std::filesystem::path& script, const std::vector<std::string>& arguments);

}  // namespace rnicsim::runner
