// SPDX-License-Identifier: Apache-2.0
// A line every ten seconds, for those who wait for an exploration.
#pragma once

#include "testbench/explore/search.h"
#include "testbench/results/text.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstddef>

namespace rnicsim::runner {

inline explore::Progressing progress_of_states() {
    return [last = std::chrono::steady_clock::now()](std::size_t states, std::size_t waiting) mutable {
        constexpr std::chrono::seconds kBetween{10};
        const auto now = std::chrono::steady_clock::now();
        if (now - last < kBetween) return;
        last = now;
        spdlog::info("explore: {} states, {} of them not looked at yet", grouped(states), grouped(waiting));
    };
}

}  // namespace rnicsim::runner
