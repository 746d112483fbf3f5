// SPDX-License-Identifier: Apache-2.0
// Who looks inside a run: what taps report goes to its judge, and where somebody wants events also to them, in the
// order of cycles.
#pragma once

#include "testbench/events/cycle_order.h"
#include "testbench/events/event_recorder.h"
#include "testbench/observe/observation.h"

#include <optional>

namespace rnicsim {

class RunObservers {
  public:
    /// `judge`: gets each report of the taps. `sink`: gets every event; may be nullptr. Neither is owned; `request` has
    /// to outlive it. Throws RequestError if a file cannot be made.
    RunObservers(const RunRequest& request, EventSink* sink, Observer& judge);

    /// For the system's taps.
    [[nodiscard]] Observer& observer() { return recorder_ ? static_cast<Observer&>(*recorder_) : judge_; }
    /// Null: nobody wants events.
    [[nodiscard]] EventRecorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }
    [[nodiscard]] EventSink* events() { return order_ ? &*order_ : nullptr; }

    /// Before the simulation starts.
    void attach(const System& system);
    /// Passes on the last cycle's events. Then finish_files().
    void finish_events();
    /// Throws RunError.
    void finish_files();
    /// The failure is the news: that a file is not complete is none.
    void finish_after_failure() noexcept;

  private:
    const RunRequest& request_;
    Observer& judge_;
    std::optional<Observation> observation_;
    std::optional<CycleOrder> order_;
    std::optional<EventRecorder> recorder_;
};

}  // namespace rnicsim
