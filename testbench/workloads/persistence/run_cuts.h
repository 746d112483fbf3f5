// SPDX-License-Identifier: Apache-2.0
// Power cuts of a run: at all its instants, folded as it goes on; or at some, at which it really stops. And crashes of
// an initiator: what is durable when all has come to rest.
#pragma once

#include "model/system.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/records/output_file.h"
#include "testbench/records/run_request.h"
#include "testbench/records/run_result.h"
#include "testbench/workloads/persistence/crashes.h"
#include "testbench/workloads/persistence/cuts_csv.h"
#include "testbench/workloads/persistence/persist_cuts.h"
#include "testbench/workloads/persistence/stopped_cuts.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rnicsim {

class RunCuts {
  public:
    /// Both must outlive it. Throws RequestError if a file cannot be made.
    RunCuts(const RunRequest& request, const VerbsLayout& layout);
    RunCuts(const RunCuts&) = delete;
    RunCuts& operator=(const RunCuts&) = delete;
    void attach(System& system);
    /// What is in place of the run's faults, which must outlive it.
    [[nodiscard]] FaultSource& over(FaultSource& faults) { return crashes_ ? crashes_->over(faults) : faults; }
    /// `rest`: how a copy of this run, whose initiator crashes, goes on to the end.
    void let_copies(std::function<void()> rest) { rest_ = std::move(rest); }

    /// Of what the programs do and are told.
    [[nodiscard]] PersistObserver& programs() {
        return stopped_ ? static_cast<PersistObserver&>(*stopped_) : folded_.value();
    }
    /// By host: who hears of its lines; nullptr: nobody that another one could hear them for.
    [[nodiscard]] std::vector<LineObserver*> lines() const {
        return folded_ ? folded_->lines() : std::vector<LineObserver*>(request_.names.size());
    }
    /// Does the run stop on its way? Then nothing may happen ahead of its time.
    [[nodiscard]] bool stops() const { return stopped_.has_value(); }
    /// The card of a host with a RoCEv2 RNIC puts a write on its link. Precondition: the run stops on its way.
    void device_posts(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes) {
        stopped_->device_posts(host, address, bytes);
    }

    /// How far to simulate from `now` on: so long, or until it has to stop; may be nothing.
    [[nodiscard]] Time slice(Time now, Time longest) const;
    /// What was due before `now` has happened; nothing that the fold has to know of happens before `known`.
    void advance(Time now, Time known);
    /// It has stopped where it was to end.
    [[nodiscard]] bool ended() const {
        return crashes_ ? crashes_->ended() : !request_.cut.at.empty() && next_ == request_.cut.at.size();
    }
    /// The initiator has crashed: nobody waits for what does not come any more.
    [[nodiscard]] bool crashed() const { return crashes_ && crashes_->crashed(); }

    /// The run is over: its last item at `end`. Throws RunError if the file cannot be written.
    void finish(Time end, RunResult& result);

  private:
    [[nodiscard]] Time next_stop() const;
    void take(Time at);
    void add(const HostCuts& of, RunResult& result) const;
    [[nodiscard]] CrashLeft left() const;

    const RunRequest& request_;
    std::optional<OutputFile> file_;
    std::optional<CutsCsv> csv_;
    std::optional<PersistCuts> folded_;
    std::optional<StoppedCuts> stopped_;
    std::optional<Crashes> crashes_;
    std::function<void()> rest_;
    std::size_t next_ = 0;  // of the instants
    std::vector<CutFinding> findings_;
};

}  // namespace rnicsim
