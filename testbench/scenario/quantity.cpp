// SPDX-License-Identifier: Apache-2.0
// Reading and writing of values with their units.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "testbench/scenario/decimal.h"
#include "testbench/scenario/schema.h"
#include "tlm/time/clock.h"

namespace rnicsim {
namespace {

std::string percent(double fraction) {
    constexpr int kDecimals = 12;  // never an exponent: what is written can be read
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), fraction * 100,
                                            std::chars_format::fixed, kDecimals);
    if (error != std::errc{}) return "?";
    std::string text(buffer.data(), end);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " %";
}

/// In the largest unit in which it has at most three decimals, so that 2.4 ms stays 2.4 ms.
std::string write_time(Time time) {
    for (const Unit& unit : units_of(Kind::picoseconds)) {
        const std::int64_t thousandth = std::max<std::int64_t>(unit.factor / 1000, 1);
        if (time.ps < unit.factor || time.ps % thousandth != 0) continue;
        std::string text = std::to_string(time.ps / unit.factor);
        std::string decimals = std::to_string(time.ps % unit.factor / thousandth + 1000).substr(1);
        decimals.erase(decimals.find_last_not_of('0') + 1);
        return text + (decimals.empty() ? "" : "." + decimals) + ' ' + std::string(unit.name);
    }
    return "0 ns";
}

std::string words(const std::vector<std::string_view>& choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i != 0) text += i + 1 == choices.size() ? " or " : ", ";
        text += choices[i];
    }
    return text;
}

bool read_time(const Key& key, const std::string& text, Value& value, std::string& expected) {
    const std::optional<std::int64_t> ns = in_smallest(text, Kind::time);
    if (!ns) {
        expected = "a time with a unit, such as " + std::string(key.fallback);
        return false;
    }
    if (*ns % 8 != 0) {
        const std::int64_t below = *ns / 8 * 8;
        expected = "a whole number of 8 ns cycles, such as " +
                   (below / 8 < key.least ? "" : in_largest(below, Kind::time) + " or ") +
                   in_largest(below + 8, Kind::time);
        return false;
    }
    value.number = *ns / 8;
    return true;
}

bool read_number(const Key& key, const std::string& text, Value& value, std::string& expected) {
    switch (key.kind) {
        case Kind::picoseconds:
            if (const auto ps = in_smallest(text, Kind::picoseconds)) {
                value.number = *ps;
                return true;
            }
            // More than there are numbers for; whoever checks the range says what it is.
            if (is_beyond(text, Kind::picoseconds, key.most)) {
                value.number = std::numeric_limits<std::int64_t>::max();
                return true;
            }
            expected =
                (text.ends_with("s") ? "a whole number of picoseconds, such as " : "a time with a unit, such as ") +
                std::string(key.fallback);
            return false;
        case Kind::bytes:
            if (const auto bytes = in_smallest(text, Kind::bytes)) {
                value.number = *bytes;
                return true;
            }
            expected = "a number of bytes with a unit (B, KiB, MiB), such as " + std::string(key.fallback);
            return false;
        case Kind::rate:
            if (const auto rate = in_smallest(text, Kind::rate)) {
                value.number = *rate;
                return true;
            }
            expected = "a rate with a unit (KB/s, MB/s, GB/s), such as " + std::string(key.fallback);
            return false;
        case Kind::bit_rate:
            if (const auto rate = in_smallest(text, Kind::bit_rate)) {
                value.number = *rate;
                return true;
            }
            expected = "a rate with a unit (kbps, Mbps, Gbps), such as 56 Gbps";
            return false;
        default: break;
    }
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value.number);
    if (error == std::errc{} && stop == end) return true;
    expected = error == std::errc::result_out_of_range
                   ? write_limit(key, key.least) + " to " + write_limit(key, key.most)
                   : "a whole number, such as " + std::string(key.fallback);
    return false;
}

bool in_range(const Key& key, std::int64_t number, std::string& expected) {
    if (!key.choices.empty()) {
        if (std::ranges::find(key.choices, std::to_string(number)) != key.choices.end()) return true;
        expected = words(key.choices) + (key.kind == Kind::bytes ? " B" : "");
        return false;
    }
    if (number >= key.least && number <= key.most) return true;
    expected = write_limit(key, key.least) + " to " + write_limit(key, key.most);
    return false;
}

}  // namespace

bool read_value(const Key& key, const std::string& text, Value& value, std::string& expected) {
    value.text = text;
    if (!key.word.empty()) {
        if (text == key.word) {
            value.number = kWord;
            return true;
        }
        Key number = key;
        number.word = {};
        const std::string most = write_limit(key, key.most);
        if (key.fallback == key.word) number.fallback = most;  // an example of a number
        if (read_value(number, text, value, expected)) return true;
        expected += ", or " + std::string(key.word);
        return false;
    }
    switch (key.kind) {
        case Kind::time: return read_time(key, text, value, expected) && in_range(key, value.number, expected);
        case Kind::picoseconds:
        case Kind::bytes:
        case Kind::rate:
        case Kind::bit_rate:
        case Kind::integer: return read_number(key, text, value, expected) && in_range(key, value.number, expected);
        case Kind::probability: {
            const std::optional<Decimal> number = read_decimal(text);
            if (number && number->unit == "%") {
                value.fraction =
                    static_cast<double>(number->digits) / static_cast<double>(100 * power_of_ten(number->decimals));
                if (value.fraction <= 1) return true;
            }
            expected = "a probability from 0 % to 100 %, such as 5 %";
            return false;
        }
        case Kind::boolean:
            value.number = text == "true" ? 1 : 0;
            expected = "true or false";
            return text == "true" || text == "false";
        case Kind::choice: {
            const auto found = std::ranges::find(key.choices, text);
            if (found != key.choices.end()) {
                value.number = found - key.choices.begin();
                return true;
            }
            const std::vector<std::string> candidates(key.choices.begin(), key.choices.end());
            const std::string near = nearest(text, candidates);
            expected = words(key.choices);
            if (!key.whose.empty()) expected += " (" + std::string(key.whose) + ')';
            if (!near.empty()) expected += "; did you mean '" + near + "'?";
            return false;
        }
        case Kind::bytes_list: expected = "a list of byte counts, such as [256 B, 512 B]"; return false;
        case Kind::integer_list: expected = "a list of whole numbers, such as [3, 4]"; return false;
    }
    return false;
}

bool read_list(const Key& key, const std::vector<std::string>& items, Value& value, std::string& expected) {
    value.list.clear();
    value.text = "[";
    for (const std::string& item : items) {
        const std::optional<std::int64_t> number = in_smallest(item, key.kind);
        if (!number || *number < key.least || *number > key.most) {
            expected = (key.kind == Kind::bytes_list ? "byte counts" : "whole numbers") + std::string(" from ") +
                       write_limit(key, key.least) + " to " + write_limit(key, key.most);
            return false;
        }
        if (!value.list.empty()) value.text += ", ";
        value.text += write_limit(key, *number);
        value.list.push_back(static_cast<std::uint32_t>(*number));
    }
    value.text += "]";
    return true;
}

std::string write_limit(const Key& key, std::int64_t limit) {
    switch (key.kind) {
        case Kind::time: return write_time(kGmiiClock.time(Cycle{limit}));
        case Kind::picoseconds: return write_time(Time{limit});
        case Kind::bytes:
        case Kind::bytes_list: return in_largest(limit, Kind::bytes);
        case Kind::rate:
        case Kind::bit_rate: return in_largest(limit, key.kind);
        case Kind::probability: return percent(static_cast<double>(limit) / 1e6);
        default: return std::to_string(limit);
    }
}

std::string write_value(const Key& key, const Value& value) {
    switch (key.kind) {
        case Kind::probability: return percent(value.fraction);
        case Kind::boolean: return value.number != 0 ? "true" : "false";
        case Kind::choice: return std::string(key.choices[static_cast<std::size_t>(value.number)]);
        case Kind::bytes_list:
        case Kind::integer_list: return value.text;
        default:
            if (!key.word.empty() && value.number == kWord) return std::string(key.word);
            return write_limit(key, value.number);
    }
}

}  // namespace rnicsim
