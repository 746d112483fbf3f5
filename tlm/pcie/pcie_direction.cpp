// SPDX-License-Identifier: Apache-2.0
#include "tlm/pcie/pcie_direction.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

PcieDirection::PcieDirection(std::uint32_t generation, std::uint32_t lanes) {
    assert(generation >= 1 && generation <= 3 && lanes >= 1 && lanes <= 16);
    // Per lane and byte: Gen1 2.5 GT/s 8b/10b = 4000 ps, Gen2 = 2000 ps, Gen3 8 GT/s 128b/130b = 1015.625 ps.
    constexpr std::int64_t kPsPerKib[] = {4'096'000, 2'048'000, 1'040'000};
    ps_per_kib_ = kPsPerKib[generation - 1] / lanes;
}

Time PcieDirection::send(Time from, std::uint32_t bytes) {
    free_at_ = std::max(from, free_at_);
    if (bytes == 0) return free_at_;
    if (bursts_[latest_].end != free_at_) {
        latest_ = (latest_ + 1) % bursts_.size();
        bursts_[latest_].begin = free_at_;
    }
    free_at_ += length(bytes);
    bursts_[latest_].end = free_at_;
    return free_at_;
}

void PcieDirection::begin_early(Time since, Time from, Time most) {
    const Time begins = std::max(from, free_at_);
    free_at_ = begins - std::min(most, idle(since, begins));
    // What was idle until now may have been used.
    bursts_.fill({Time{}, free_at_});
}

Time PcieDirection::idle(Time since, Time until) const {
    Time sum, end = until;
    for (std::size_t back = 0; back < bursts_.size() && end > since; ++back) {
        const Burst& burst = bursts_[(latest_ + bursts_.size() - back) % bursts_.size()];
        sum += std::max(end - std::max(burst.end, since), Time{});
        end = burst.begin;
    }
    return sum;
}

}  // namespace rnicsim
