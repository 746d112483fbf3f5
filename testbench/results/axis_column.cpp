// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/axis_column.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rnicsim::runner {
namespace {

/// What numbers with a unit may be, and the unit of their column.
constexpr std::array<std::pair<Kind, std::string_view>, 5> kColumns{{{Kind::picoseconds, "us"},
                                                                     {Kind::bytes, "B"},
                                                                     {Kind::probability, "%"},
                                                                     {Kind::rate, "GB/s"},
                                                                     {Kind::bit_rate, "Gbps"}}};

bool has_unit_of(const Kind kind, const std::string& value) {
    const auto decimal = read_decimal(value);
    if (!decimal || std::ranges::find(units_of(kind), decimal->unit, &Unit::name) == units_of(kind).end()) return false;
    return kind == Kind::probability || in_smallest(value, kind);
}

/// Digits with a point before the last so many, without zeros at the end.
std::string with_point(std::int64_t digits, int decimals) {
    const std::int64_t scale = power_of_ten(decimals);
    std::string text = std::to_string(digits / scale);
    std::string rest = std::to_string(scale + digits % scale).substr(1);
    rest.erase(rest.find_last_not_of('0') + 1);
    return rest.empty() ? text : text + '.' + rest;
}

}  // namespace

std::string AxisColumn::cell(const std::string& value) const {
    if (unit == nullptr) return value;
    if (kind == Kind::probability) {
        const Decimal of = *read_decimal(value);
        return with_point(of.digits, of.decimals);
    }
    int places = 0;  // a larger unit is a power of ten of the smallest, or that itself
    for (std::int64_t factor = 1; factor < unit->factor; factor *= 10) ++places;
    return with_point(*in_smallest(value, kind), places);
}

std::vector<AxisColumn> axis_columns(const Scenario& scenario) {
    std::vector<AxisColumn> columns;
    if (scenario.points.empty()) return columns;
    for (std::size_t i = 0; i < scenario.points.front().values.size(); ++i) {
        AxisColumn& column = columns.emplace_back();
        column.name = scenario.points.front().values[i].first;
        for (const auto& [kind, unit] : kColumns) {
            const auto fits = [&, of = kind](const SweepPoint& point) {
                return has_unit_of(of, point.values.at(i).second);
            };
            if (!std::ranges::all_of(scenario.points, fits)) continue;
            column.kind = kind;
            column.unit = &*std::ranges::find(units_of(kind), unit, &Unit::name);
            column.name += " (" + std::string(unit) + ')';
            break;
        }
    }
    return columns;
}

}  // namespace rnicsim::runner
