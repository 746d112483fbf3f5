// SPDX-License-Identifier: Apache-2.0
// The result of one simulation run: transfer times, counters, cost of the run.
#pragma once

#include "testbench/records/cut_finding.h"
#include "testbench/records/records.h"
#include "testbench/records/run_request.h"

#include "tlm/drp/host_queues.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

class EventSink;                       // testbench/events/event_log.h
enum class BuildOrder : std::uint8_t;  // model/system.h

/// Where the time of a transfer goes (testbench/workloads/transfers/time_ledger.h). The parts add up to it.
enum class TransferPart : std::uint8_t { set_up, waiting, stalled, wire, retransmission, drain, release, count };
inline constexpr std::size_t kTransferParts = static_cast<std::size_t>(TransferPart::count);
inline constexpr std::array<std::string_view, kTransferParts> kTransferPartNames{
    "setup", "waiting", "stalled", "wire", "retransmission", "drain", "release"};
using TransferParts = std::array<std::int64_t, kTransferParts>;  ///< cycles

/// Where the time of a message between RoCEv2 RNICs goes (testbench/workloads/messages/message_ledger.h). The parts add
/// up to it.
enum class MessagePart : std::uint8_t { post, fetch, queue, wire, retransmission, rnr, completion, count };
inline constexpr std::size_t kMessageParts = static_cast<std::size_t>(MessagePart::count);
inline constexpr std::array<std::string_view, kMessageParts> kMessagePartNames{
    "post", "fetch", "queue", "wire", "retransmission", "rnr", "completion"};
using MessageParts = std::array<std::int64_t, kMessageParts>;  ///< ps

struct TransferRecord {
    std::uint32_t id = 0;         ///< order of issue at its initiator, from 0
    std::uint16_t initiator = 0;  ///< host
    std::uint16_t responder = 0;  ///< host
    std::uint16_t item = 0;       ///< of the traffic, from 0
    std::uint32_t bytes = 0;
    Operation operation = Operation::write;
    Cycle start;            ///< upper layer's request
    Cycle end;              ///< completion or error at the upper layer
    bool indirect = false;  ///< data went in MODE = 1
    TransferError error = TransferError::none;
    TransferParts parts{};  ///< add up to end - start

    [[nodiscard]] bool failed() const { return error != TransferError::none; }
};

/// An ordinary frame between two plain hosts, or a message between RoCEv2 RNICs.
struct FrameRecord {
    /// Which message, of those.
    struct Message {
        std::uint32_t qp = 0;  ///< at its sender, in order of creation, from 0
        rc::Verb verb{};
    };
    std::uint32_t id = 0;        ///< order in which its sender had it, from 0, for each item, or for each QP
    std::uint16_t sender = 0;    ///< host
    std::uint16_t receiver = 0;  ///< host
    std::uint16_t item = 0;      ///< of the traffic, from 0
    std::uint32_t bytes = 0;     ///< MAC client data
    Time ready;                  ///< its sender has it
    Time begin;                  ///< of its preamble at the sender
    Time arrived;                ///< its last bit at the receiver; 0: it was lost
    bool marked = false;         ///< "congestion experienced"
    std::optional<Message> message{};
    MessageParts parts{};  ///< of a message that was not lost; add up to arrived - ready

    [[nodiscard]] bool lost() const { return arrived == Time{}; }
};

/// Counter: faults of the tape that have not happened.
inline constexpr const char* kTapeUnused = "tape.unused";

struct RunResult {
    Records<TransferRecord> transfers;  ///< in order of (initiator, id)
    Records<FrameRecord> frames;        ///< in order of (item, sender, id)
    std::vector<std::pair<std::string, std::uint64_t>>
        counters;                     ///< name -> value, fixed order, e.g. "a.rnic.gmac.tx_frames"
    std::uint64_t data_frames = 0;    ///< DRP data frames sent, retransmissions included
    std::uint64_t kernel_events = 0;  ///< process activations of the SystemC models
    std::uint64_t clocked = 0;        ///< cycles of the cores in Verilog, both ends', without those skipped
    Cycle simulated;                  ///< length of the run
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
