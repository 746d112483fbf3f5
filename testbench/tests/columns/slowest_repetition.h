// SPDX-License-Identifier: Apache-2.0
// A column that a user adds: the mean time of the slowest repetition.
#pragma once

#include "testbench/results/columns.h"
#include "testbench/results/text.h"

#include <algorithm>

namespace rnicsim::runner {

inline constexpr Column kSlowestRepetition{
    "slowest_repetition_us", [](const Scope&) { return true; },
    [](const TableRow& row) { return fixed(*std::ranges::max_element(row.of().repetition_means), 6); }};

}  // namespace rnicsim::runner
