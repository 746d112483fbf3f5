// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace rnicsim::runner {

std::string fixed(const double value, const int decimals) {
    if (std::isnan(value)) return {};
    std::array<char, 400> buffer{};  // the largest double has 309 digits before the point
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    std::string text(buffer.data(), end);
    if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
    return text;
}

std::string csv_field(const std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) line += ',';
        line += csv_field(fields[i]);
    }
    return line + '\n';
}

std::size_t display_width(const std::string_view text) {
    const auto starts_a_character = [](const char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_a_character));
}

std::string text_hash(const std::string_view text) {
    constexpr std::uint64_t kOffset = 0xcbf29ce484222325U;
    constexpr std::uint64_t kPrime = 0x100000001b3U;
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::uint64_t hash = kOffset;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(hash >> shift) & 0xFU];
    return digits;
}

std::string grouped(const std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t end = text.size(); end > 3;) {
        end -= 3;
        text.insert(end, 1, ',');
    }
    return text;
}

std::string counted(const std::uint64_t n, const std::string_view noun) {
    return std::to_string(n) + ' ' + std::string(noun) + (n == 1 ? "" : "s");
}

std::string duration(const double seconds) {
    if (!(seconds >= 0)) return "?";
    if (seconds < 10) return fixed(seconds, 1) + " s";
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    const auto two_digits = [](const std::uint64_t n) {
        return std::string{static_cast<char>('0' + n / 10), static_cast<char>('0' + n % 10)};
    };
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + two_digits(whole / 60 % 60) + " min";
}

std::string point_label(const std::vector<std::pair<std::string, std::string>>& values) {
    if (values.empty()) return "-";
    std::string label;
    for (const auto& [axis, value] : values)
        label.append(label.empty() ? "" : ", ").append(axis).append(": ").append(value);
    return label;
}

}  // namespace rnicsim::runner
