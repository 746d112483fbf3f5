// SPDX-License-Identifier: Apache-2.0
// When a QP of a given rate may send its next packet (V-D5). Integers only: what is rounded off goes into the next gap.
#pragma once

#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::rc {

class Pacer {
  public:
    /// A packet of so many bytes on the wire leaves. Precondition: rate > 0, in bit/s.
    void on_sent(Time now, std::uint32_t bytes, std::int64_t rate) {
        const std::int64_t bits = std::int64_t{8} * bytes * kSecond.ps + remainder_;  // in 1e-12; below 10^17
        const Time gap{bits / rate};
        remainder_ = bits % rate;
        // Late by the card's clock or another QP's packet, it keeps its plan; after a rest it has no credit.
        if (now >= next_packet_ + gap) next_packet_ = now;
        next_packet_ += gap;
    }
    /// Before this no packet leaves.
    [[nodiscard]] Time next_packet() const { return next_packet_; }

  private:
    Time next_packet_;
    std::int64_t remainder_ = 0;  // what the last packet's gap was rounded down by: 1e-12 bits
};

}  // namespace rnicsim::rc
