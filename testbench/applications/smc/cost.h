// SPDX-License-Identifier: Apache-2.0
// What a message of an SMC-R connection costs, by its rules alone: who sends and who reads take turns, and neither
// looks at the clock.
#pragma once

#include "testbench/applications/smc/settings.h"

#include <cstdint>

namespace rnicsim::applications::smc {

struct Cost {
    std::uint64_t pieces = 0;   ///< each has a CDC message
    std::uint64_t writes = 0;   ///< one more for each piece that wraps
    std::uint64_t packets = 0;  ///< of those
    std::uint64_t reads = 0;    ///< calls of recv()
    std::uint64_t updates = 0;  ///< CDC messages of who reads
};

/// `from`: bytes of the direction before it; `pmtu`: bytes.
Cost cost_of(const SmcSettings& settings, std::uint64_t from, std::uint64_t bytes, std::uint32_t pmtu);

}  // namespace rnicsim::applications::smc
