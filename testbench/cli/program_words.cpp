// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/program_words.h"

#include "testbench/scenario/scenario.h"

#include <algorithm>
#include <filesystem>

namespace rnicsim::runner {
namespace {

constexpr const char* kExpected =
    "expected --on HOST -- PROGRAM ARGUMENTS, once or more; --and instead of --on: begins together with the one before";

bool begins_one(const std::string& word) { return word == "--on" || word == "--and"; }

}  // namespace

std::string name_of(const ProgramOnHost& program) { return std::filesystem::path(program.command.front()).filename(); }

std::vector<ProgramOnHost> programs_of(const std::vector<std::string>& words) {
    std::vector<ProgramOnHost> all;
    for (std::size_t i = 0; i < words.size();) {
        const bool joins = words[i] == "--and" && !all.empty();
        if ((words[i] != "--on" && !joins) || i + 3 >= words.size() || words[i + 2] != "--")
            throw ScenarioError("'" + words[i] + "': " + kExpected);
        ProgramOnHost program{words[i + 1], {}, joins};
        for (i += 3; i < words.size() && !begins_one(words[i]); ++i) program.command.push_back(words[i]);
        if (program.command.empty()) throw ScenarioError("--on " + program.host + " --: expected a program");
        all.push_back(std::move(program));
    }
    if (all.empty()) throw ScenarioError(kExpected);
    return all;
}

std::vector<bool> named(const std::vector<ProgramOnHost>& programs, const std::vector<std::string>& names) {
    std::vector<bool> is(programs.size(), false);
    for (const std::string& name : names) {
        bool any = false;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const auto before = std::count_if(programs.begin(), programs.begin() + static_cast<std::ptrdiff_t>(i),
                                              [&](const ProgramOnHost& p) { return p.host == programs[i].host; });
            const std::string numbered = programs[i].host + ":" + std::to_string(before);
            if (name != programs[i].host && name != numbered && name != name_of(programs[i])) continue;
            is[i] = any = true;
        }
        if (!any)
            throw ScenarioError("--until " + name +
                                ": expected a host, HOST:N (the host's programs from 0), or a program's name, of those "
                                "after --on");
    }
    return is;
}

}  // namespace rnicsim::runner
