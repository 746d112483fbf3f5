// SPDX-License-Identifier: Apache-2.0
// The MAC at any rate: what it sends begins at an edge of the card's clock and ends by the rate, to the picosecond.
#pragma once

#include "model/rnic/common/config.h"
#include "model/rnic/common/mac_engine.h"
#include "tlm/time/clock.h"
#include "tlm/time/mac_timing.h"

#include <algorithm>

namespace rnicsim::rc {

class RateMac final : public MacEngine {
  public:
    RateMac(const GmacConfig& config, const MacTiming& wire, const Clock& clock)
        : config_(config), wire_(wire), clock_(clock) {}

    Sent send(Frame& frame, Cycle now) override {
        const Time begin = std::max(clock_.time(now + config_.tx_latency), free_at_);
        const Time end = begin + wire_.serialisation(frame.length());
        free_at_ = end + wire_.gap();
        const Cycle edge = clock_.edge(end);
        // The frame after this one begins when the gap is over.
        return {edge, std::max(clock_.cycle(free_at_) - config_.tx_latency, now + Cycle{1}), clock_.time(edge) - end};
    }

    Received receive(Frame& frame, Cycle due) override {
        if (frame.length() < kMinFrameBytes) return {Verdict::runt, {}};
        if (frame.length() > config_.mtu + kEthernetHeaderBytes + kFcsBytes) return {Verdict::oversize, {}};
        if (!frame.fcs_good()) return {Verdict::bad_fcs, {}};
        return {Verdict::good, due + config_.rx_latency};
    }

  private:
    const GmacConfig config_;
    const MacTiming wire_;
    const Clock clock_;
    Time free_at_;
};

}  // namespace rnicsim::rc
