// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rnicsim {
namespace {

constexpr std::array<Unit, 4> kTimeUnits{{{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
constexpr std::array<Unit, 5> kWireTimeUnits{
    {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
constexpr std::array<Unit, 3> kByteUnits{{{"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}};
constexpr std::array<Unit, 3> kRateUnits{{{"GB/s", 1'000'000'000}, {"MB/s", 1'000'000}, {"KB/s", 1'000}}};
constexpr std::array<Unit, 3> kBitRateUnits{{{"Gbps", 1'000'000'000}, {"Mbps", 1'000'000}, {"kbps", 1'000}}};
constexpr std::array<Unit, 1> kPercent{{{"%", 1}}};
constexpr std::array<Unit, 1> kPlain{{{"", 1}}};

}  // namespace

std::span<const Unit> units_of(const Kind kind) {
    switch (kind) {
        case Kind::time: return kTimeUnits;
        case Kind::picoseconds: return kWireTimeUnits;
        case Kind::bytes:
        case Kind::bytes_list: return kByteUnits;
        case Kind::rate: return kRateUnits;
        case Kind::bit_rate: return kBitRateUnits;
        case Kind::probability: return kPercent;
        case Kind::integer_list:
        case Kind::integer: return kPlain;
        case Kind::boolean:
        case Kind::choice: break;
    }
    return {};
}

std::optional<Decimal> read_decimal(const std::string_view text) {
    constexpr std::size_t kMostDigits = 15;
    Decimal value;
    std::size_t i = 0;
    bool point = false;
    std::size_t digits = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == '.' && !point && digits != 0) {
            point = true;
        } else if (text[i] >= '0' && text[i] <= '9') {
            if (++digits > kMostDigits) return std::nullopt;
            value.digits = value.digits * 10 + (text[i] - '0');
            if (point) ++value.decimals;
        } else {
            break;
        }
    }
    if (digits == 0 || text[i - 1] == '.') return std::nullopt;
    while (i < text.size() && text[i] == ' ') ++i;
    value.unit = text.substr(i);
    return value;
}

std::int64_t power_of_ten(int n) {
    std::int64_t p = 1;
    for (; n > 0; --n) p *= 10;
    return p;
}

std::optional<std::int64_t> in_smallest(const std::string_view text, const Kind kind) {
    const std::optional<Decimal> value = read_decimal(text);
    if (!value) return std::nullopt;
    const std::span<const Unit> units = units_of(kind);
    const auto unit = std::ranges::find(units, value->unit, &Unit::name);
    if (unit == units.end()) return std::nullopt;
    const std::int64_t scale = power_of_ten(value->decimals);
    if (value->digits > std::int64_t{1} << 52 || value->digits > INT64_MAX / unit->factor) return std::nullopt;
    const std::int64_t scaled = value->digits * unit->factor;
    if (scaled % scale != 0) return std::nullopt;
    return scaled / scale;
}

bool is_beyond(const std::string_view text, const Kind kind, const std::int64_t most) {
    double number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    std::string_view name(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
    while (name.starts_with(' ')) name.remove_prefix(1);
    const std::span<const Unit> units = units_of(kind);
    const auto unit = std::ranges::find(units, name, &Unit::name);
    return unit != units.end() && number * static_cast<double>(unit->factor) > static_cast<double>(most);
}

std::string in_largest(const std::int64_t number, const Kind kind) {
    const std::span<const Unit> units = units_of(kind);
    for (const Unit& unit : units) {
        if (number != 0 && number % unit.factor == 0) {
            return std::to_string(number / unit.factor) + ' ' + std::string(unit.name);
        }
    }
    // Not whole in any unit: decimals of the smallest, which is a power of ten then.
    const Unit& unit = units.back();
    std::string text = std::to_string(number / unit.factor);
    if (number % unit.factor != 0) {
        std::string decimals = std::to_string(unit.factor + number % unit.factor).substr(1);
        decimals.erase(decimals.find_last_not_of('0') + 1);
        text += '.' + decimals;
    }
    return text + ' ' + std::string(unit.name);
}

}  // namespace rnicsim
