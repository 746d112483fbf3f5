// SPDX-License-Identifier: Apache-2.0
// Values of given ranks among so many that nobody keeps or sorts them: passes over them count how many begin with the
// same digits, from the highest on, until one value is left for each rank. Exact, with a little memory for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rnicsim::runner {

/// Gives each value to `visit`, in any order, whenever it is called.
using EachValue = std::function<void(const std::function<void(std::int64_t)>& visit)>;

/// `ranks`: from 0, in ascending order of the values, each below their number. `most`: the largest value; none is below
/// 0.
std::vector<std::int64_t> values_at(std::span<const std::size_t> ranks, const EachValue& each, std::int64_t most);

}  // namespace rnicsim::runner
