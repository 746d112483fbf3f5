// The faults of a run in which a host loses its power: no frame leaves it any more.
#pragma once

#include "model/config.h"
#include "model/faults/fault_source.h"
#include "testbench/persistence/crash_request.h"

namespace rnicsim {

class DeadSystem final : public FaultSource {
  public:
    /// All must outlive it. `others`: decides about all that leaves in time.
    DeadSystem(FaultSource& others, const RunConfig& config, const CrashRequest& crash)
        : others_(others), config_(config), crash_(crash) {}

    [[nodiscard]] bool concerns_frames(unsigned link) const override {
        return others_.concerns_frames(link) || leaves(link, 0) || leaves(link, 1);
    }
    FrameFate frame(const FrameName& name, Time sent, bool markable) override {
        FrameFate fate = others_.frame(name, sent, markable);
        if (sent < crash_.at || !leaves(name.link, name.from_side)) return fate;
        fate = {};
        fate.lost = true;
        return fate;
    }
    bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) override {
        return others_.registration_fails(end, initiator, transfer, attempt);
    }
    bool holds_at_start(unsigned end, std::uint32_t task) override { return others_.holds_at_start(end, task); }
    Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) override {
        return others_.task_time(end, task, n, holds);
    }

  private:
    /// Is it the host's own wire?
    [[nodiscard]] bool leaves(unsigned link, unsigned side) const {
        return config_.links[link].between.at(side) == Node{Node::Kind::host, crash_.host};
    }

    FaultSource& others_;
    const RunConfig& config_;
    const CrashRequest& crash_;
};

}  // namespace rnicsim
