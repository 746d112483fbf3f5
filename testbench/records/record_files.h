// SPDX-License-Identifier: Apache-2.0
// The file of the samples of one run.
#pragma once

#include <filesystem>

namespace rnicsim {

/// Empty if `base` is: memory holds them.
inline std::filesystem::path samples_file(std::filesystem::path base) {
    return base.empty() ? base : base += ".samples";
}

}  // namespace rnicsim
