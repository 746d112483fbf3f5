// SPDX-License-Identifier: Apache-2.0
// Messages between RoCEv2 RNICs, as one work of a run.
#pragma once

#include "testbench/kits/rc/wire_taps.h"
#include "testbench/workloads/messages/message_ledger.h"
#include "testbench/workloads/messages/message_recorder.h"
#include "testbench/workloads/messages/verbs_judge.h"
#include "testbench/workloads/messages/verbs_workload.h"
#include "testbench/workloads/work.h"

#include <optional>

namespace rnicsim {

class MessageWork final : public Work {
  public:
    /// All must outlive it.
    MessageWork(const RunConfig& config, const VerbsLayout& layout, WireJudge& wire);

    [[nodiscard]] Observer* observer_of(unsigned node) override { return is_mine(node) ? &taps_ : nullptr; }
    void prepare(EventSink* events, EventRecorder* recorder) override;
    [[nodiscard]] std::size_t samples() const override { return programs_->samples(); }
    void record_in(std::span<Sample> samples) override;
    void attach(System& system) override;

    /// Ends of UC and UD may wait in turn for what was lost.
    void idle(Time now) override { programs_->end_turns(now); }
    [[nodiscard]] bool ended() const override { return programs_->all_ended(); }
    [[nodiscard]] Time last_progress() const override;
    [[nodiscard]] std::string violation() const override { return judge_.violation(); }

    void check_end() override { judge_.check_end(programs_->last_end()); }
    [[nodiscard]] Time last_end() const override { return programs_->last_end(); }
    void finish(RunResult& result) override;

  private:
    class Taps final : public WireTaps {
      public:
        Taps(WireJudge& wire, VerbsJudge& judge) : WireTaps(wire), judge_(judge) {}
        void memory_access(unsigned end, const tlm::tlm_generic_payload& access) override {
            judge_access(judge_, end, access);
        }

      private:
        VerbsJudge& judge_;
    };
    /// A host with a RoCEv2 RNIC, and no item of it has a scheme.
    [[nodiscard]] bool is_mine(unsigned node) const { return node < is_mine_.size() && is_mine_[node]; }

    const RunConfig& config_;
    const VerbsLayout& layout_;
    WireJudge& wire_;
    std::vector<bool> is_mine_;  // by host
    VerbsJudge judge_;
    MessageLedger ledger_;
    std::optional<MessageRecorder> recorder_;
    std::optional<VerbsWorkload> programs_;
    Taps taps_;
    std::span<Sample> samples_;  // not owned
};

}  // namespace rnicsim
