// SPDX-License-Identifier: Apache-2.0
// A lane: messages in one direction by way of a FIFO, whoever wants them sent. What it needs, and what it counts.
#pragma once

#include "testbench/applications/application.h"
#include "testbench/applications/fifo/settings.h"
#include "testbench/applications/fifo/slot.h"

#include <cstdint>
#include <span>

namespace rnicsim::applications::fifo {

struct Lane {
    const FifoSettings* settings = nullptr;  ///< not owned
    std::uint32_t bytes = 0;                 ///< of a buffer: of the longest message
    std::uint32_t buffers = 1;               ///< of each end: message i has buffer i modulo this; at most the slots
    std::uint64_t messages = 0;              ///< of a connection, in all

    [[nodiscard]] Place place_of(std::uint64_t message) const {
        return {kBuffers, static_cast<std::uint32_t>(message % buffers) * bytes};
    }
};

/// Areas kStream, kFifo, kBuffers, queues, and a stream.
[[nodiscard]] Plan plan_of(const Lane& lane);
/// Of messages of these sizes.
[[nodiscard]] Counts counts_of(const FifoSettings& settings, std::span<const std::uint32_t> sizes, std::uint32_t pmtu);

}  // namespace rnicsim::applications::fifo
