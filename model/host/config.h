// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of any host: its memory, and a bus in front of it.
#pragma once

#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim {

struct MemoryConfig {
    Cycle latency{12};                              ///< read: request at the controller -> first data
    std::int64_t bytes_per_second = 1'600'000'000;  ///< sustained, reads and writes together
};

/// A parallel PCI bus behind the root complex, for hosts that have no PCIe of their own.
struct BridgeConfig {
    std::int64_t bytes_per_second = 0;  ///< of the bus, reads and writes together; 0 = there is no bridge
    Cycle request_cost;                 ///< arbitration, address phase, target latency: once per request
};

}  // namespace rnicsim
