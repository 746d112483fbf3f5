// SPDX-License-Identifier: Apache-2.0
// One direction of a PCIe link: what is on it when.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace rnicsim {

/// First come, first served, in picoseconds.
class PcieDirection {
  public:
    /// Precondition: generation 1..3, lanes 1..16.
    PcieDirection(std::uint32_t generation, std::uint32_t lanes);

    /// Puts `bytes` on the link at `from` or when it is free. Returns when the last byte has left.
    Time send(Time from, std::uint32_t bytes);
    /// What is sent next begins at `from`, or when the link is free. But it has been coming since `since`, and up to
    /// `most` of its time on the link is over, as far as this was idle since then.
    void begin_early(Time since, Time from, Time most);
    [[nodiscard]] Time free_at() const { return free_at_; }
    /// How long so many bytes are on the link.
    [[nodiscard]] Time length(std::uint32_t bytes) const { return Time{(ps_per_kib_ * bytes + 1023) / 1024}; }

  private:
    /// What followed one another without a gap.
    struct Burst {
        Time begin, end;
    };
    /// How long the link was idle from `since` to `until`, as far as it remembers: what is longer ago was busy.
    [[nodiscard]] Time idle(Time since, Time until) const;

    std::int64_t ps_per_kib_;  // bytes on the link cost ps_per_kib_ / 1024 each: exact for every generation and width
    Time free_at_;
    // The latest ones: more than the TLPs that cross a frame of 4 KiB while it comes, as a rule. Before the first one
    // the link was idle.
    std::array<Burst, 8> bursts_{};
    std::size_t latest_ = 0;
};

}  // namespace rnicsim
