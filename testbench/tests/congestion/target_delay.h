// SPDX-License-Identifier: Apache-2.0
// A congestion control by delay, in the style of Swift (G. Kumar et al., SIGCOMM 2020, 3.1) and as small as it can be:
// shows that a folder and a line of the list are enough. A round trip below the target adds a packet to the window each
// round trip; one above it takes away its share above the target, at most half, and at most once a round trip, as a
// loss does. Integers only.
#pragma once

#include "model/rnic/rc/congestion/common/algorithm.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace rnicsim::rc {

class TargetDelay final : public CongestionControl {
  public:
    static constexpr std::string_view kName = "target_delay";
    static constexpr Traits kTraits{.hears_acks = true, .hears_losses = true};
    static constexpr Time kTarget = kMicrosecond * 8;
    static constexpr std::int64_t kFirstPackets = 16;

    explicit TargetDelay(const CardFacts& card) : packet_(card.port_mtu), window_(kFirstPackets * packet_) {}
    [[nodiscard]] std::unique_ptr<CongestionControl> copy() const override {
        return std::make_unique<TargetDelay>(*this);
    }

    void on_ack(Time now, std::optional<Time> round_trip, std::uint32_t bytes) override {
        if (round_trip) round_trip_ = *round_trip;
        if (round_trip_ > kTarget) return cut(now, window_ * (round_trip_ - kTarget).ps / round_trip_.ps);
        acknowledged_ += bytes;
        if (acknowledged_ < window_) return;
        acknowledged_ -= window_;
        window_ += packet_;
    }
    void on_loss(Time now, Loss kind) override { cut(now, kind == Loss::timer ? window_ : window_ / 2); }
    [[nodiscard]] std::int64_t window() const override { return window_; }

  private:
    void cut(Time now, std::int64_t bytes) {
        if (now < next_cut_) return;
        next_cut_ = now + std::max(round_trip_, kTarget);
        window_ = std::max(window_ - std::min(bytes, window_ / 2), packet_);
        acknowledged_ = 0;
    }

    std::int64_t packet_, window_;   // bytes
    std::int64_t acknowledged_ = 0;  // since the window has changed
    Time round_trip_;                // the last one
    Time next_cut_;                  // not before
};

}  // namespace rnicsim::rc
