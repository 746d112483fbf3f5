// SPDX-License-Identifier: Apache-2.0
// Transfers between dynamic and traditional RNICs, as one work of a run.
#pragma once

#include "model/rnic/drp/end/end_config.h"
#include "testbench/workloads/transfers/scoreboard.h"
#include "testbench/workloads/work.h"

namespace rnicsim {

class TransferWork final : public Work {
  public:
    /// `config` must outlive it.
    explicit TransferWork(const RunConfig& config) : config_(config), hosts_(drp_hosts(config)), board_(config) {}
    [[nodiscard]] Scoreboard& board() { return board_; }

    [[nodiscard]] Observer* observer_of(unsigned node) override;
    void prepare(EventSink* /*events*/, EventRecorder* recorder) override { recorder_ = recorder; }
    void claim_memory(std::vector<std::uint64_t>& bytes) const override;
    [[nodiscard]] std::size_t samples() const override { return board_.samples(); }
    void record_in(std::span<Sample> samples) override { board_.record_in(samples); }
    void attach(System& system) override;

    /// Behind the last transfer there is no new background work.
    void advance(Time now) override;
    [[nodiscard]] bool ended() const override { return board_.all_ended(); }
    [[nodiscard]] Time last_progress() const override;
    [[nodiscard]] Time patience() const override;
    [[nodiscard]] std::string violation() const override { return board_.violation(); }

    [[nodiscard]] std::vector<std::string> waiting(unsigned host, Cycle now) const override;
    [[nodiscard]] std::string left() const override;
    [[nodiscard]] std::string last_frames() const override;

    void check_end() override;
    [[nodiscard]] Time last_end() const override;
    void finish(RunResult& result) override;

  private:
    const RunConfig& config_;
    const std::vector<unsigned> hosts_;  // with a DRP RNIC
    Scoreboard board_;
    EventRecorder* recorder_ = nullptr;  // not owned
    System* system_ = nullptr;           // not owned
    Cycle stopped_;                      // no new background work from here on
};

}  // namespace rnicsim
