// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/range.h"

#include <algorithm>

#include "testbench/scenario/decimal.h"

namespace rnicsim {
namespace {

constexpr std::size_t kFrom = 0;
constexpr std::size_t kTo = 1;
constexpr std::size_t kStep = 2;

// A mistyped step should be an error, not a full memory. No axis is anywhere near this long.
constexpr std::int64_t kMostValues = 10'000;

std::string found(const std::string& text, const std::string& expected) {
    return "found '" + text + "', expected " + expected;
}

/// The factor of the number's unit, or 0 if its kind has no such unit.
std::int64_t factor_of(const Decimal& number, const Kind kind) {
    const std::span<const Unit> units = units_of(kind);
    const auto unit = std::ranges::find(units, number.unit, &Unit::name);
    return unit == units.end() ? 0 : unit->factor;
}

/// digits x factor x 10^more, or nothing if that is too large.
std::optional<std::int64_t> scaled(const std::int64_t digits, const std::int64_t factor, const int more) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(digits, factor, &result)) return std::nullopt;
    if (__builtin_mul_overflow(result, power_of_ten(more), &result)) return std::nullopt;
    return result;
}

/// number / scale as a decimal number, if it takes no more digits than read_decimal() reads.
std::optional<std::string> quotient(const std::int64_t number, const std::int64_t scale) {
    std::string text = std::to_string(number / scale);
    std::string decimals;
    for (std::int64_t rest = number % scale; rest != 0; rest = rest * 10 % scale) {
        decimals += static_cast<char>('0' + rest * 10 / scale);
        if (text.size() + decimals.size() > 15) return std::nullopt;
    }
    return decimals.empty() ? text : text + '.' + decimals;
}

}  // namespace

bool has_ranges(const Key& key) { return !units_of(key.kind).empty() && !is_list(key.kind); }

std::optional<RangeFault> expand_range(const Key& key, const std::array<std::string, 3>& texts,
                                       std::vector<std::string>& values) {
    std::array<Decimal, 3> numbers;
    for (const std::size_t i : {kFrom, kTo, kStep}) {
        Value value;
        std::string expected;
        // A step need not be a legal value of the key, only a number of its kind.
        if (i != kStep && !read_value(key, texts[i], value, expected)) return RangeFault{i, found(texts[i], expected)};
        const std::optional<Decimal> number = read_decimal(texts[i]);
        if (!number || factor_of(*number, key.kind) == 0) {
            expected = "a number of at most 15 digits";
            if (!units_of(key.kind).front().name.empty()) expected += " with a unit";
            const std::string example = key.kind == Kind::probability ? "1 %" : std::string(key.fallback);
            return RangeFault{i, found(texts[i], expected + ", such as " + example)};
        }
        numbers[i] = *number;
    }
    // Whole numbers of one common fraction of the smallest unit, so that nothing is rounded.
    const int decimals = std::max({numbers[kFrom].decimals, numbers[kTo].decimals, numbers[kStep].decimals});
    std::array<std::int64_t, 3> whole{};
    for (const std::size_t i : {kFrom, kTo, kStep}) {
        const auto number = scaled(numbers[i].digits, factor_of(numbers[i], key.kind), decimals - numbers[i].decimals);
        if (!number) return RangeFault{i, found(texts[i], "fewer digits")};
        whole[i] = *number;
    }
    const std::int64_t distance = whole[kTo] - whole[kFrom];
    const std::string range = texts[kFrom] + " to " + texts[kTo];
    if (distance < 0) return RangeFault{kTo, found(texts[kTo], "at least the start: " + texts[kFrom])};
    if (whole[kStep] == 0) return RangeFault{kStep, found(texts[kStep], "a step above zero")};
    if (distance % whole[kStep] != 0) {
        return RangeFault{kStep, found(texts[kStep], "a step that divides the distance from " + range)};
    }
    if (distance / whole[kStep] >= kMostValues) {
        return RangeFault{kStep, found(texts[kStep], "a step that gives at most " + std::to_string(kMostValues) +
                                                         " values from " + range)};
    }
    const auto scale = scaled(factor_of(numbers[kFrom], key.kind), 10, decimals);  // ten times: room for a digit more
    if (!scale) return RangeFault{kFrom, found(texts[kFrom], "fewer digits")};
    const std::string_view unit = numbers[kFrom].unit;
    for (std::int64_t number = whole[kFrom]; number <= whole[kTo]; number += whole[kStep]) {
        const std::optional<std::string> text = quotient(number, *scale / 10);
        if (!text) return RangeFault{kFrom, found(texts[kFrom], "a unit in which every value has few decimals")};
        values.push_back(unit.empty() ? *text : *text + ' ' + std::string(unit));
        if (number > whole[kTo] - whole[kStep]) break;  // the next one might not be representable
    }
    return std::nullopt;
}

}  // namespace rnicsim
