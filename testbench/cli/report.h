// SPDX-License-Identifier: Apache-2.0
// Calls scripts/report on a folder of finished output folders.
#pragma once

#include "testbench/sweep/sweep.h"

#include <filesystem>

namespace rnicsim::runner {

/// Writes DIR/report.html and DIR/figures. kBadInput: DIR holds no usable results; kIncomplete: what makes the page is
/// missing. Either way the reason is on stderr.
ExitCode make_report(const std::filesystem::path& dir);

}  // namespace rnicsim::runner
