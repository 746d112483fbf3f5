// SPDX-License-Identifier: Apache-2.0
// A congestion control under another one's eyes: what it hears is written down, what it says is passed on.
#pragma once

#include "model/rnic/rc/congestion/common/algorithm.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim::rc {

/// Of all QPs of a run.
struct Heard {
    std::vector<Time> round_trips;
    std::int64_t in_flight = 0, most_in_flight = 0;  ///< packets of `payload` bytes each
    std::uint32_t payload = 1024;
};

class Listening final : public CongestionControl {
  public:
    Listening(std::unique_ptr<CongestionControl> to, Heard& heard) : to_(std::move(to)), heard_(&heard) {}
    [[nodiscard]] std::unique_ptr<CongestionControl> copy() const override {
        return std::make_unique<Listening>(to_->copy(), *heard_);
    }
    void on_sent(Time now, std::uint32_t bytes) override {
        to_->on_sent(now, bytes);
        heard_->most_in_flight = std::max(heard_->most_in_flight, ++heard_->in_flight);
    }
    void on_ack(Time now, std::optional<Time> round_trip, std::uint32_t bytes) override {
        to_->on_ack(now, round_trip, bytes);
        if (round_trip) heard_->round_trips.push_back(*round_trip);
        heard_->in_flight -= bytes / heard_->payload;
    }
    void on_loss(Time now, Loss kind) override { to_->on_loss(now, kind); }
    [[nodiscard]] std::int64_t window() const override { return to_->window(); }

  private:
    std::unique_ptr<CongestionControl> to_;
    Heard* heard_;  // the test's
};

/// `to`, with each of its QPs listened to.
class ListeningAlgorithm final : public CongestionAlgorithm {
  public:
    ListeningAlgorithm(const CongestionAlgorithm& to, Heard& heard) : to_(to), heard_(heard) {}
    [[nodiscard]] std::string_view name() const override { return to_.name(); }
    [[nodiscard]] Traits traits() const override { return to_.traits(); }
    [[nodiscard]] std::unique_ptr<CongestionControl> start(const CongestionConfigs& configs,
                                                           const CardFacts& card) const override {
        return std::make_unique<Listening>(to_.start(configs, card), heard_);
    }
    [[nodiscard]] std::optional<std::int64_t> least_rate(const CongestionConfigs& configs) const override {
        return to_.least_rate(configs);
    }

  private:
    const CongestionAlgorithm& to_;
    Heard& heard_;
};

}  // namespace rnicsim::rc
