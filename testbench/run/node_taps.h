// SPDX-License-Identifier: Apache-2.0
// Hands what taps report of a node to the work that it is of, and what they report of bridges to their judge. Where a
// host is of several works the first one hears of it, and each of accesses to its own memory.
#pragma once

#include "testbench/run/bridge_judge.h"
#include "testbench/workloads/works.h"
#include "tlm/taps.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rnicsim {

class NodeTaps final : public Observer {
  public:
    /// All must outlive it. `nodes`: `hosts`, and behind them switches. `bridges`: nullptr: there are none.
    NodeTaps(const Works& works, unsigned hosts, std::size_t nodes, BridgeJudge* bridges) : bridges_(bridges) {
        for (unsigned node = 0; node < nodes; ++node) {
            std::vector<Of>& all = of_.emplace_back();
            for (const auto& work : works) {
                Observer* const observer = work->observer_of(node);
                if (observer != nullptr) all.push_back({node < hosts ? work->memory_from(node) : 0, observer});
            }
        }
    }

    void memory_access(unsigned end, const tlm::tlm_generic_payload& access) override {
        if (bridges_ != nullptr) bridges_->memory_access(end, access);
        Observer* found = nullptr;
        for (const Of& of : of_[end])
            if (found == nullptr || access.get_address() >= of.memory_from) found = of.observer;
        if (found != nullptr) found->memory_access(end, access);
    }
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override {
        if (Observer* const of = first(end)) of->upstream_tlp(end, transaction, due);
    }
    void frame_sent(unsigned end, const Frame& frame, Time left) override {
        if (Observer* const of = first(end)) of->frame_sent(end, frame, left);
    }
    void frame_carried(const Hop& hop, const Frame& frame, Time arrived) override {
        if (Observer* const of = first(hop.to)) of->frame_carried(hop, frame, arrived);
    }
    void bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time left) override {
        if (bridges_ != nullptr) bridges_->bridge_sent(way, transaction, left);
    }
    void bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) override {
        if (bridges_ != nullptr) bridges_->bridge_crossed(way, transaction, how);
    }

  private:
    struct Of {
        std::uint64_t memory_from = 0;
        Observer* observer = nullptr;  // not owned
    };
    [[nodiscard]] Observer* first(unsigned node) const {
        return of_[node].empty() ? nullptr : of_[node].front().observer;
    }

    BridgeJudge* bridges_;             // not owned
    std::vector<std::vector<Of>> of_;  // by node, in the order of the works: the memory of a later one lies behind
};

}  // namespace rnicsim
