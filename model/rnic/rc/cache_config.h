// SPDX-License-Identifier: Apache-2.0
// Settings of a card's on-chip memory for contexts.
#pragma once

#include <cstdint>

namespace rnicsim::rc {

struct CacheConfig {
    std::uint32_t bytes = 64 * 1024;
    std::uint32_t misses = 1;  ///< lines that are read at once
};

}  // namespace rnicsim::rc
