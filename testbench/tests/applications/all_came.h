// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/records/run_result.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace rnicsim {

/// So many operations are complete, and their parts are their time.
inline bool all_came(const RunResult& result, std::size_t operations) {
    return result.samples.size() == operations && std::ranges::all_of(result.samples, [](const Sample& of) {
               return !of.failed() &&
                      std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
           });
}

}  // namespace rnicsim
