// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/compare.h"

#include "testbench/results/script.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace rnicsim::runner {

ExitCode compare_results(const std::vector<std::string>& arguments) {
    const std::filesystem::path script = find_script("compare");
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (script.empty() || error) {
        spdlog::error("compare: {}", script.empty() ? "scripts/compare was not found" : error.message());
        return kIncomplete;
    }
    std::vector<std::string> all{"--program", program.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    become_script(script, all);
    spdlog::error("compare: {} could not be started: {}", script.string(), std::strerror(errno));
    return kIncomplete;
}

}  // namespace rnicsim::runner
