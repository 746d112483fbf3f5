// SPDX-License-Identifier: Apache-2.0
// Faults by the probabilities of the scenario. Each draw depends only on what it decides (model/random.h).
#pragma once

#include "model/faults/config.h"
#include "model/faults/fault_source.h"
#include "model/faults/loss_process.h"
#include "model/random.h"

#include <array>
#include <memory>
#include <optional>

namespace rnicsim {

class RandomFaults final : public FaultSource {
  public:
    explicit RandomFaults(const FaultConfig& config);

    [[nodiscard]] bool concerns_frames(unsigned link) const override { return links_.at(link).concerns_frames; }
    FrameFate frame(const FrameName& name, Time sent, bool markable) override;
    std::optional<LinkDown> outage(unsigned link, Time from, Time until) override;
    bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) override;
    bool holds_at_start(unsigned end, std::uint32_t task) override;
    Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) override;

  private:
    struct OfLink {
        LinkFaultConfig config;
        std::unique_ptr<LossProcess> loss;
        bool concerns_frames = false;
    };
    [[nodiscard]] std::optional<LinkDown> down(std::uint16_t link, Time at) const;
    [[nodiscard]] std::optional<LinkDown> down_in(std::uint16_t link, std::int64_t period) const;
    [[nodiscard]] Time drawn(RandomStream stream, const FrameName& name, Time most) const;

    const std::vector<HostFaultConfig> hosts_;
    const RandomSource random_;
    std::vector<OfLink> links_;
};

}  // namespace rnicsim
