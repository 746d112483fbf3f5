// SPDX-License-Identifier: Apache-2.0
// Hands what taps report of a node to the work that it is of, and what they report of bridges to their judge.
#pragma once

#include "testbench/run/bridge_judge.h"
#include "testbench/workloads/works.h"
#include "tlm/taps.h"

#include <cstddef>
#include <vector>

namespace rnicsim {

class NodeTaps final : public Observer {
  public:
    /// Both must outlive it. `nodes`: hosts, and behind them switches. `bridges`: nullptr: there are none.
    NodeTaps(const Works& works, std::size_t nodes, BridgeJudge* bridges) : bridges_(bridges) {
        for (unsigned node = 0; node < nodes; ++node) {
            Observer* found = nullptr;
            for (const auto& work : works)
                if (found == nullptr) found = work->observer_of(node);
            of_.push_back(found);
        }
    }

    void memory_access(unsigned end, const tlm::tlm_generic_payload& access) override {
        if (bridges_ != nullptr) bridges_->memory_access(end, access);
        if (Observer* const of = of_[end]) of->memory_access(end, access);
    }
    void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time due) override {
        if (Observer* const of = of_[end]) of->upstream_tlp(end, transaction, due);
    }
    void frame_sent(unsigned end, const Frame& frame, Time left) override {
        if (Observer* const of = of_[end]) of->frame_sent(end, frame, left);
    }
    void frame_carried(const Hop& hop, const Frame& frame, Time arrived) override {
        if (Observer* const of = of_[hop.to]) of->frame_carried(hop, frame, arrived);
    }
    void bridge_sent(const Crossing& way, tlm::tlm_generic_payload& transaction, Time left) override {
        if (bridges_ != nullptr) bridges_->bridge_sent(way, transaction, left);
    }
    void bridge_crossed(const Crossing& way, tlm::tlm_generic_payload& transaction, Crossed how) override {
        if (bridges_ != nullptr) bridges_->bridge_crossed(way, transaction, how);
    }

  private:
    BridgeJudge* bridges_;       // not owned
    std::vector<Observer*> of_;  // by node; not owned
};

}  // namespace rnicsim
