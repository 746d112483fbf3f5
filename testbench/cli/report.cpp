// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/report.h"

#include "testbench/results/script.h"

#include <spdlog/spdlog.h>

#include <system_error>

namespace rnicsim::runner {

ExitCode make_report(const std::filesystem::path& dir) {
    std::error_code error;
    if (!std::filesystem::is_directory(dir, error)) {
        spdlog::error("report: {} is not a folder", dir.string());
        return kBadInput;
    }
    const std::filesystem::path script = find_script("report");
    if (script.empty()) {
        spdlog::error("report: scripts/report was not found");
        return kIncomplete;
    }
    const int code = run_script(script, {std::filesystem::absolute(dir).string()}, ScriptOutput::shown);
    if (code == 0) return kOk;
    if (code == kBadInput) return kBadInput;  // the script has said why, here and if matplotlib is missing
    if (code != kMatplotlibMissing) spdlog::error("report: {} {} failed", script.string(), dir.string());
    return kIncomplete;
}

}  // namespace rnicsim::runner
