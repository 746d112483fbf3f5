// SPDX-License-Identifier: Apache-2.0
// Calls scripts/plot on a finished output folder.
#pragma once

#include <filesystem>

namespace rnicsim::runner {

/// Draws OUT/plot.png and OUT/plot.svg. A missing script or matplotlib is a warning, never an error. True if drawn.
bool draw_plot(const std::filesystem::path& out);

}  // namespace rnicsim::runner
