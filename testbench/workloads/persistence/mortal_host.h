// SPDX-License-Identifier: Apache-2.0
// A host with a RoCEv2 RNIC that may crash: it says when it does something, and does nothing any more from its crash
// on.
#pragma once

#include "model/config.h"
#include "model/faults/fault_source.h"
#include "model/host/verbs/verbs_host.h"
#include "testbench/records/crash_request.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <optional>

namespace rnicsim {

class MortalHost {
  public:
    /// Both must outlive it.
    MortalHost(const RunConfig& config, const CrashRequest& crash) : config_(config), crash_(crash) {}
    MortalHost(const MortalHost&) = delete;
    MortalHost& operator=(const MortalHost&) = delete;

    /// Before the simulation starts.
    void attach(VerbsHost& host) { host.run_software(software_.emplace(host.driver, *this)); }
    /// The faults of the run, with which a frame goes lost that does not leave any more. `others`: must outlive it.
    FaultSource& over(FaultSource& others) { return wire_.emplace(others, *this); }

    /// What is due at `at` or later does not happen. To be said CrashActs::lead before it, or earlier.
    void crash_at(Time at) { dies_ = at; }
    [[nodiscard]] bool crashed() const { return current_time() >= dies_; }
    /// So far; of a request that lists them.
    [[nodiscard]] CrashActs acts() const;

  private:
    /// The processor's: nothing is due any more.
    class Software final : public HostSoftware {
      public:
        Software(HostSoftware& of, MortalHost& host) : of_(of), host_(host) {}
        void run(Cycle now) override {
            if (next_due() > now) return;
            host_.note(current_time());
            of_.run(now);
        }
        [[nodiscard]] Cycle next_due() const override { return host_.crashed() ? kNever : of_.next_due(); }
        [[nodiscard]] Thread handled_by(std::uint32_t vector) const override { return of_.handled_by(vector); }
        void interrupt(Cycle at, std::uint32_t vector) override { of_.interrupt(at, vector); }
        [[nodiscard]] bool idle() const override { return host_.crashed() || of_.idle(); }
        void written(std::uint64_t address, std::uint64_t bytes, Time visible) override {
            of_.written(address, bytes, visible);
        }

      private:
        HostSoftware& of_;
        MortalHost& host_;
    };

    /// Its own one: of a system that crashes.
    class Wire final : public FaultSource {
      public:
        Wire(FaultSource& others, MortalHost& host) : others_(others), host_(host) {}
        [[nodiscard]] bool concerns_frames(unsigned link) const override {
            return others_.concerns_frames(link) || leaves(link, 0) || leaves(link, 1);
        }
        FrameFate frame(const FrameName& name, Time sent, bool markable) override {
            FrameFate fate = others_.frame(name, sent, markable);
            if (!leaves(name.link, name.from_side)) return fate;
            host_.note(sent);
            if (sent < host_.dies_) return fate;
            fate = {};
            fate.lost = true;
            return fate;
        }
        std::optional<LinkDown> outage(unsigned link, Time from, Time until) override {
            return others_.outage(link, from, until);
        }
        bool registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer,
                                std::uint32_t attempt) override {
            return others_.registration_fails(end, initiator, transfer, attempt);
        }
        bool holds_at_start(unsigned end, std::uint32_t task) override { return others_.holds_at_start(end, task); }
        Cycle task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) override {
            return others_.task_time(end, task, n, holds);
        }

      private:
        [[nodiscard]] bool leaves(unsigned link, unsigned side) const {
            return host_.crash_.of == CrashOf::system && link < host_.config_.links.size() &&
                   host_.config_.links[link].between.at(side) == Node{Node::Kind::host, host_.crash_.host};
        }

        FaultSource& others_;
        MortalHost& host_;
    };

    void note(Time at) {
        if (!crash_.lists) return;
        acts_.at.push_back(at);
        acts_.lead = std::max(acts_.lead, at - current_time());
    }

    const RunConfig& config_;
    const CrashRequest& crash_;
    std::optional<Software> software_;
    std::optional<Wire> wire_;
    Time dies_ = kEndOfTime;
    CrashActs acts_;  // as they came
};

inline CrashActs MortalHost::acts() const {
    CrashActs all = acts_;
    std::ranges::sort(all.at);
    all.at.erase(std::unique(all.at.begin(), all.at.end()), all.at.end());
    return all;
}

}  // namespace rnicsim
