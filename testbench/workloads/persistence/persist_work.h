// SPDX-License-Identifier: Apache-2.0
// Items that are made durable, as one work of a run; and its power cuts and crashes.
#pragma once

#include "testbench/kits/rc/wire_taps.h"
#include "testbench/workloads/persistence/persist_judge.h"
#include "testbench/workloads/persistence/persist_recorder.h"
#include "testbench/workloads/persistence/persist_workload.h"
#include "testbench/workloads/persistence/run_cuts.h"
#include "testbench/workloads/work.h"
#include "tlm/pcie/pcie_tlp.h"

#include <optional>
#include <utility>

namespace rnicsim {

class PersistWork final : public Work {
  public:
    /// All must outlive it. Throws RequestError if a file cannot be made.
    PersistWork(const RunRequest& request, const VerbsLayout& layout, WireJudge& wire);

    [[nodiscard]] Observer* observer_of(unsigned node) override {
        return node < config_.names.size() && judge_.judges(node) ? &taps_ : nullptr;
    }
    void prepare(EventSink* events, EventRecorder* recorder) override;
    [[nodiscard]] FaultSource& over(FaultSource& faults) override { return cuts_.over(faults); }
    [[nodiscard]] std::size_t samples() const override { return programs_->samples(); }
    void record_in(std::span<Sample> samples) override { programs_->record_in(samples); }
    void attach(System& system) override;
    void let_copies(std::function<void()> rest) override { cuts_.let_copies(std::move(rest)); }

    [[nodiscard]] Time slice(Time now, Time longest) const override { return cuts_.slice(now, longest); }
    [[nodiscard]] bool stops() const override { return cuts_.stops(); }
    void advance(Time now) override { cuts_.advance(now, ended() ? last_end() : now); }
    [[nodiscard]] bool ended() const override { return programs_->all_ended(); }
    [[nodiscard]] bool cut_short() const override { return cuts_.ended(); }
    [[nodiscard]] bool crashed() const override { return cuts_.crashed(); }
    [[nodiscard]] Time last_progress() const override;
    [[nodiscard]] std::string violation() const override { return judge_.violation(); }

    [[nodiscard]] Time last_end() const override { return programs_->last_end(); }
    void finish(RunResult& result) override;

  private:
    class Taps final : public WireTaps {
      public:
        Taps(WireJudge& wire, PersistJudge& judge, RunCuts& cuts) : WireTaps(wire), judge_(judge), cuts_(cuts) {}
        void memory_access(unsigned end, const tlm::tlm_generic_payload& access) override {
            judge_access(judge_, end, access);
        }
        void upstream_tlp(unsigned end, tlm::tlm_generic_payload& transaction, Time /*due*/) override {
            if (cuts_.stops() && tlp(transaction).kind == TlpKind::memory_write)
                cuts_.device_posts(end, transaction.get_address(),
                                   {transaction.get_data_ptr(), transaction.get_data_length()});
        }

      private:
        PersistJudge& judge_;
        RunCuts& cuts_;
    };

    const RunConfig& config_;
    const VerbsLayout& layout_;
    WireJudge& wire_;
    RunCuts cuts_;
    PersistJudge judge_;
    std::optional<PersistRecorder> recorder_;
    std::optional<PersistWorkload> programs_;
    Taps taps_;
};

}  // namespace rnicsim
