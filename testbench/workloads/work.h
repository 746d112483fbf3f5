// SPDX-License-Identifier: Apache-2.0
// One kind of traffic in a run: who asks, who judges, what is recorded. A run knows nothing else of it.
#pragma once

#include "testbench/records/run_result.h"
#include "tlm/taps.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class EventRecorder;
class EventSink;
class FaultSource;
class System;

class Work {
  public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;

    // Before the simulation starts, in this order.
    /// What the taps of this node tell it, a host, or behind them a switch; nullptr: the node is of another work.
    [[nodiscard]] virtual Observer* observer_of(unsigned /*node*/) { return nullptr; }
    /// The observer is told of memory from this address on, up to where another work of the host begins; of frames,
    /// and what else the node does, hears the first work that has it.
    [[nodiscard]] virtual std::uint64_t memory_from(unsigned /*host*/) const { return 0; }
    /// Who gets its events, not owned; nullptr: nobody wants any.
    virtual void prepare(EventSink* /*events*/, EventRecorder* /*recorder*/) {}
    /// Bytes that it needs of each host's memory: raises them.
    virtual void claim_memory(std::vector<std::uint64_t>& /*bytes*/) const {}
    /// What is in place of the run's faults, which must outlive it.
    [[nodiscard]] virtual FaultSource& over(FaultSource& faults) { return faults; }
    /// How many samples it records, and where; not owned.
    [[nodiscard]] virtual std::size_t samples() const { return 0; }
    virtual void record_in(std::span<Sample> /*samples*/) {}
    /// Gives the system its part. To be called once.
    virtual void attach(System& system) = 0;
    /// `rest`: how a copy of this process goes on with the run to the end.
    virtual void let_copies(std::function<void()> /*rest*/) {}

    // While it runs, between two slices of it.
    /// How far to simulate from `now` on: so long, or until it has to stop; may be nothing.
    [[nodiscard]] virtual Time slice(Time /*now*/, Time longest) const { return longest; }
    /// Does the run stop on its way? Then nothing may happen ahead of its time.
    [[nodiscard]] virtual bool stops() const { return false; }
    /// Nothing happens any more, though not all has ended: who waits for ever is over.
    virtual void idle(Time /*now*/) {}
    /// What was due before `now` has happened.
    virtual void advance(Time /*now*/) {}
    [[nodiscard]] virtual bool ended() const = 0;
    /// The run stops here, whatever has not ended.
    [[nodiscard]] virtual bool cut_short() const { return false; }
    /// Nobody waits for what does not come any more.
    [[nodiscard]] virtual bool crashed() const { return false; }
    /// When something happened that cannot happen for ever, or until when nothing need happen.
    [[nodiscard]] virtual Time last_progress() const = 0;
    /// How much longer than the watchdog's limit it may stand still now.
    [[nodiscard]] virtual Time patience() const { return {}; }
    /// Empty as long as all its invariants hold.
    [[nodiscard]] virtual std::string violation() const = 0;

    // For the message of a run that has failed, one line each.
    [[nodiscard]] virtual std::vector<std::string> waiting(unsigned /*host*/, Cycle /*now*/) const { return {}; }
    /// What has not ended, behind a comma; empty: it does not count.
    [[nodiscard]] virtual std::string left() const { return {}; }
    /// The frames sent last, oldest first; empty: it does not keep them.
    [[nodiscard]] virtual std::string last_frames() const { return {}; }

    // When all works have ended.
    /// Nothing may be left anywhere. Sets violation() if something is.
    virtual void check_end() {}
    [[nodiscard]] virtual Time last_end() const { return {}; }
    /// Throws RunError.
    virtual void finish(RunResult& /*result*/) {}
};

}  // namespace rnicsim
