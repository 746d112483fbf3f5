// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/waits.h"

#include <algorithm>

namespace rnicsim {

std::int64_t most_hops(const RunConfig& config) { return static_cast<std::int64_t>(config.switches.size()) + 1; }

Time held_by_switches(const RunConfig& config) {
    Time slowest;
    for (const LinkConfig& link : config.links) slowest = std::max(slowest, link.timing.per_byte);
    Time all;
    for (const SwitchConfig& of : config.switches)
        all += of.latency + Time{slowest.ps * of.buffer * 21 / 16};  // frames of 64 B, 84 on the wire
    return all;
}

}  // namespace rnicsim
