// SPDX-License-Identifier: Apache-2.0
// The files of the records of one run: their names begin alike.
#pragma once

#include <filesystem>

namespace rnicsim {

/// Empty if `base` is: memory holds them.
inline std::filesystem::path transfers_file(std::filesystem::path base) {
    return base.empty() ? base : base += ".transfers";
}
inline std::filesystem::path frames_file(std::filesystem::path base) { return base.empty() ? base : base += ".frames"; }

}  // namespace rnicsim
