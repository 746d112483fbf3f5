// SPDX-License-Identifier: Apache-2.0
// Everything that looks inside a run: one writer for each file that was asked for, fed with the same events.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/records/run_request.h"

#include <memory>
#include <vector>

namespace rnicsim {

class System;

/// What turns events into a file.
class EventWriter : public EventSink {
  public:
    /// An event outside the window, which is not written: for writers that keep a state.
    virtual void outside(const LoggedEvent& /*event*/) {}
    /// The run is over: completes the file. Throws RunError.
    virtual void finish() = 0;
};

class Observation : public EventSink {
  public:
    /// Creates the files that request.observe asks for. Throws RequestError. `also`: gets all events, too; not
    /// owned, may be nullptr.
    Observation(const RunRequest& request, EventSink* also);

    /// Call it before the simulation starts, for writers that look into the system. Not owned.
    void attach(const RunRequest& request, const System& system);

    void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) override;
    void at_once(const LoggedEvent& event) override;
    /// Completes the files. Throws RunError.
    void finish();
    /// The same for a run that has failed: its own error counts, not one of the files.
    void finish_after_failure() noexcept;

  private:
    Time from_, to_;
    EventSink* also_;
    std::vector<std::unique_ptr<EventWriter>> writers_;
};

}  // namespace rnicsim
