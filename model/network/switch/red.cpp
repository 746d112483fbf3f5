// SPDX-License-Identifier: Apache-2.0
#include "model/network/switch/red.h"

namespace rnicsim {

double mark_chance(const EcnConfig& config, const MacTiming& port, std::int64_t queue) {
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
