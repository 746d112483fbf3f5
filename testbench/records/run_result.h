// SPDX-License-Identifier: Apache-2.0
// The result of one simulation run: its samples, counters, cost of the run.
#pragma once

#include "testbench/records/cut_finding.h"
#include "testbench/records/records.h"
#include "testbench/records/run_request.h"
#include "testbench/records/sample.h"

#include "tlm/time/time.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

class EventSink;                       // testbench/events/event_log.h
enum class BuildOrder : std::uint8_t;  // model/system.h

/// Counter: faults of the tape that have not happened.
inline constexpr const char* kTapeUnused = "tape.unused";

struct RunResult {
    Records<Sample> samples;  ///< by work; of transfers in order of (initiator, id), of others of (item, initiator, id)
    std::vector<std::pair<std::string, std::uint64_t>>
        counters;                     ///< name -> value, fixed order, e.g. "a.rnic.gmac.tx_frames"
    std::uint64_t data_frames = 0;    ///< DRP data frames sent, retransmissions included
    std::uint64_t kernel_events = 0;  ///< process activations of the SystemC models
    std::uint64_t clocked = 0;        ///< cycles of the cores in Verilog, both ends', without those skipped
    Time simulated;                   ///< length of the run
    /// The first item of which an initiator was told that it is durable, and a power cut would have lost it; empty:
    /// none.
    std::string false_persistence;
    std::string false_item;   ///< its name: "a.q0.7"
    double wall_seconds = 0;  ///< not part of any compared result
    /// Of a run in this process: workers and journals leave it out, but for the counters.
    struct Cuts {
        std::vector<HostCuts> folded;     ///< by host; of a run that does not stop
        std::vector<CutFinding> stopped;  ///< by instant, then by host
        std::vector<CrashLeft> crashed;   ///< by instant
        CrashActs acts;                   ///< of a run that lists them
    } cuts;
};

/// A failed run: an invariant violated, the watchdog, a SystemC report. `what()` is the whole diagnosis.
struct RunError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Elaborates and simulates one run in this process. SystemC allows that once per process.
/// Throws RunError.
RunResult simulate(const RunRequest& request);
/// The same; every event goes to `sink`.
RunResult simulate_recorded(const RunRequest& request, EventSink& sink);
/// The same with the parts built in another order, which must change nothing.
RunResult simulate_in_order(const RunRequest& request, BuildOrder order);

}  // namespace rnicsim
