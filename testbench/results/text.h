// SPDX-License-Identifier: Apache-2.0
// Text that never depends on the locale: numbers, CSV fields, padding, a hash of text.
#pragma once

#include "tlm/time/cycle.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim::runner {

/// Fixed notation with that many decimals; empty for NaN, "0.0" rather than "-0.0".
std::string fixed(double value, int decimals);

/// A CSV field by RFC 4180: quoted if it holds a comma, a quote or a line end.
std::string csv_field(std::string_view text);

/// Fields joined by commas, with the line end.
std::string csv_line(const std::vector<std::string>& fields);

/// Characters that UTF-8 text takes on a terminal (one a code point).
std::size_t display_width(std::string_view text);

/// FNV-1a, 64 bits, as 16 hexadecimal digits. Finds damage and tells configurations apart; not cryptographic.
std::string text_hash(std::string_view text);

/// "1234567" as "1,234,567".
std::string grouped(std::uint64_t value);

/// "1 run", "2 runs". `noun`: in the singular, one that takes an s.
std::string counted(std::uint64_t n, std::string_view noun);

/// Seconds as "0.4 s", "12 s", "3 min 05 s", "2 h 03 min".
std::string duration(double seconds);

/// "loss: 5 %, size: 4 KiB", or "-" without axes.
std::string point_label(const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace rnicsim::runner
