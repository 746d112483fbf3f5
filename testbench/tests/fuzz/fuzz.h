// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace rnicsim::fuzz {

/// Ends the process if the condition is false: libFuzzer keeps the input, and its report shows the line.
inline void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

/// The same for two texts that must be equal; prints them.
inline void require_equal(const std::string& found, const std::string& expected, std::string_view what) {
    if (found != expected) std::fprintf(stderr, "found:\n%s\nexpected:\n%s\n", found.c_str(), expected.c_str());
    require(found == expected, what);
}

/// A message for people: not empty, one line, no control characters.
inline void require_one_line(std::string_view message) {
    require(!message.empty(), "an error says what is wrong");
    require(std::ranges::none_of(message, [](unsigned char c) { return c < 0x20 || c == 0x7F; }),
            "an error is one line of text");
}

using Bytes = std::span<const std::uint8_t>;

inline std::string_view as_text(Bytes input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

}  // namespace rnicsim::fuzz
