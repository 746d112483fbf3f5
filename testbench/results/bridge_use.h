// SPDX-License-Identifier: Apache-2.0
// What an item of traffic has made of the bridges that it goes over.
#pragma once

#include "testbench/results/columns.h"

#include <cstdint>
#include <optional>

namespace rnicsim::runner {

/// Both ways.
struct BridgeUse {
    std::uint64_t writes = 0;       ///< MWr to windows
    std::uint64_t partial = 0;      ///< of those: less than a line
    std::uint64_t reads = 0;        ///< MRd
    std::uint64_t stalls = 0;       ///< TLPs that had to wait for credits
    std::uint64_t unsupported = 0;  ///< TLPs that nobody took
};

/// nullopt: it goes over none, or another item goes over one of them, too, and nobody knows whose is what.
std::optional<BridgeUse> bridge_use(const TableRow& row);

}  // namespace rnicsim::runner
