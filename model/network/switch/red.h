// Whether a frame gets a mark of congestion, by the length of its queue (RED, Floyd and Jacobson 1993, without
// average).
#pragma once

#include "model/network/switch/config.h"
#include "tlm/time/mac_timing.h"

#include <cstdint>

namespace rnicsim {

/// The chance: 0 up to kmin, then linear up to pmax at kmax, and 1 beyond. `queue`: bytes, the frame included.
inline double mark_chance(const EcnConfig& config, const MacTiming& port, std::int64_t queue) {
    // DCQCN's and HPCC's settings grow with the rate.
    const auto by_rate = [&](std::int64_t set, std::int64_t per_gbps) {
        return set != 0 ? set : per_gbps * 8'000 / port.per_byte.ps;
    };
    const std::int64_t kmin = by_rate(config.kmin, 4'000);
    const std::int64_t kmax = by_rate(config.kmax, 16'000);
    if (queue <= kmin) return 0;
    if (queue >= kmax) return 1;
    return config.pmax * static_cast<double>(queue - kmin) / static_cast<double>(kmax - kmin);
}

}  // namespace rnicsim
