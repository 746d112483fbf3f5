// SPDX-License-Identifier: Apache-2.0
// A counter of a run by its name.
#pragma once

#include "testbench/records/run_result.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string_view>

namespace rnicsim {

/// Fails the test if there is no counter of that name.
inline std::uint64_t counter(const RunResult& result, std::string_view name) {
    for (const auto& [key, value] : result.counters) {
        if (key == name) return value;
    }
    FAIL("no counter is called " << name);
    return 0;
}

}  // namespace rnicsim
