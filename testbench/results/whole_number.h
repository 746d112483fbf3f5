// SPDX-License-Identifier: Apache-2.0
// Whole numbers from JSON that was read from a file. nlohmann's get() would also take a fraction or a number that does
// not fit, and change it silently.
#pragma once

#include "testbench/results/result_codec.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

namespace rnicsim::runner {

/// Throws CodecError if it is anything but a whole number from `least` to `most`.
template <std::integral T, typename Json>
T whole_number(const Json& value, const T least = std::numeric_limits<T>::min(),
               const T most = std::numeric_limits<T>::max()) {
    const auto fits = [&](const auto number) {
        return std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most);
    };
    const bool good = value.is_number_unsigned()
                          ? fits(value.template get<std::uint64_t>())
                          : value.is_number_integer() && fits(value.template get<std::int64_t>());
    if (!good)
        throw CodecError("'" + value.dump(-1, ' ', false, Json::error_handler_t::replace) +
                         "' is no number that can stand there");
    return value.template get<T>();
}

}  // namespace rnicsim::runner
