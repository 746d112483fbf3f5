// SPDX-License-Identifier: Apache-2.0
// How NCCL's sender and receiver meet.
#pragma once

#include "model/keys/fields.h"
#include "model/traffic.h"

#include <cstdint>

namespace rnicsim::applications {

struct FifoSettings {
    std::uint32_t slots = 64;           ///< of the FIFO
    bool adaptive_routing = false;      ///< packets may overtake: the notice is a message of its own
    std::uint32_t threshold = 8 << 10;  ///< ... of more bytes than these
    // Faults, to see what they do: `unsafe` lets them be run.
    bool wait = true;        ///< for the slot
    bool data_first = true;  ///< the notice is behind the data
    bool unsafe = false;

    /// A message of so many bytes is a WRITE, and a WRITE_IMM of none.
    [[nodiscard]] bool is_divided(std::uint32_t bytes) const { return adaptive_routing && bytes > threshold; }
};

const Fields<FifoSettings>& fifo_fields();
[[nodiscard]] inline const FifoSettings& fifo_of(const TrafficConfig& item) { return item.settings.of<FifoSettings>(); }

}  // namespace rnicsim::applications
