// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/plot.h"

#include "testbench/results/script.h"

#include <spdlog/spdlog.h>

namespace rnicsim::runner {

bool draw_plot(const std::filesystem::path& out) {
    const std::filesystem::path script = find_script("plot");
    if (script.empty()) {
        spdlog::warn("no plot: scripts/plot was not found");
        return false;
    }
    const int code = run_script(script, {out.string()}, ScriptOutput::hidden);
    if (code == 0) return true;
    if (code != kMatplotlibMissing) {  // in that case the script has said so itself
        spdlog::warn("no plot: {} {} failed", script.string(), out.string());
    }
    return false;
}

}  // namespace rnicsim::runner
