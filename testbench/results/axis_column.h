// SPDX-License-Identifier: Apache-2.0
// An axis as a column of summary.csv: numbers, and their unit in the header.
#pragma once

#include "testbench/scenario/decimal.h"
#include "testbench/scenario/scenario.h"

#include <string>
#include <vector>

namespace rnicsim::runner {

struct AxisColumn {
    std::string name;            ///< "size (B)"; of what is no number in one unit the axis' own
    Kind kind = Kind::choice;    ///< of the numbers, by their units
    const Unit* unit = nullptr;  ///< of the column; none: values as they are written

    [[nodiscard]] std::string cell(const std::string& value) const;
};

/// In the order of the axes.
std::vector<AxisColumn> axis_columns(const Scenario& scenario);

}  // namespace rnicsim::runner
