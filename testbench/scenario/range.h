// SPDX-License-Identifier: Apache-2.0
// Ranges of a sweep axis: from, to and step become a list of values, in exact decimal arithmetic.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "testbench/scenario/schema.h"

namespace rnicsim {

/// The members of a range, in this order wherever they come together.
inline constexpr std::array<const char*, 3> kRangeMembers{"from", "to", "step"};

/// Which member of a range is wrong, and what was found and expected.
struct RangeFault {
    std::size_t member = 0;
    std::string what;
};

/// Can the values of this key be a range?
bool has_ranges(const Key& key);

/// All values from the first to the second text, both included, in steps of the third, each written in the unit of the
/// first. They are not checked against the limits of the key, apart from both ends.
std::optional<RangeFault> expand_range(const Key& key, const std::array<std::string, 3>& texts,
                                       std::vector<std::string>& values);

}  // namespace rnicsim
