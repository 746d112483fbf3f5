// SPDX-License-Identifier: Apache-2.0
// Exact decimal numbers with a unit, as scenarios write them: "2.4 ms", "48 KiB", "5 %", "8".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "testbench/scenario/schema.h"

namespace rnicsim {

struct Unit {
    std::string_view name;
    std::int64_t factor;  ///< in the smallest unit of its kind
};

/// Units of a kind of numbers, largest first: the first that divides a number is the one it is written in. Percent and
/// plain integers have one unit; a kind that is no number has none.
std::span<const Unit> units_of(Kind kind);

/// value = digits / 10^decimals, of the unit.
struct Decimal {
    std::int64_t digits = 0;
    int decimals = 0;
    std::string_view unit;
};

/// At most 15 digits, so that further arithmetic stays exact; one point between digits, blanks, then the unit's text.
std::optional<Decimal> read_decimal(std::string_view text);

std::int64_t power_of_ten(int n);

/// The number in the smallest unit, if the unit is of this kind and the number is whole.
std::optional<std::int64_t> in_smallest(std::string_view text, Kind kind);

/// In the largest unit in which it is whole, or else in decimals of the smallest.
/// Is it a number with a unit, and more than `most` of the smallest one?
bool is_beyond(std::string_view text, Kind kind, std::int64_t most);
std::string in_largest(std::int64_t number, Kind kind);

}  // namespace rnicsim
