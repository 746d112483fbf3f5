// The resolved scenario of one run: the system and its workload.
#pragma once

#include "model/faults/tape.h"
#include "model/host/config.h"
#include "model/link/config.h"
#include "model/rnic/config.h"

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rnicsim {

struct EndSystemConfig {
    HostConfig host;
    RnicConfig rnic;
};

enum class Direction : std::uint8_t { a_to_b, b_to_a, both };
enum class OperationMix : std::uint8_t { write, read, alternate };

/// The transfers that the upper layers issue.
struct WorkloadConfig {
    OperationMix operation = OperationMix::write;
    Direction direction = Direction::a_to_b;  ///< which end initiates
    std::uint32_t size = 128 * 1024;          ///< bytes per transfer, 1 B .. 16 MiB
    std::uint32_t transfers = 800;            ///< issued by each initiating end
    std::uint32_t in_flight = 1;              ///< transfers of one initiator at once
};

/// Waveforms that a run's Verilog is to leave (model/rtl/waves.h).
struct WaveRequest {
    std::string file;                 ///< x.fst stands for a file for each instance, x.a.gmac_tx.fst; empty = none
    std::vector<std::string> blocks;  ///< instances; empty = all
    Cycle from, to = kNever;          ///< cycles from .. to - 1
};

/// What is to be observed of a run (testbench/observe). An empty name: nothing.
struct ObserveRequest {
    std::string capture;      ///< .pcapng: the frames on the wire
    bool tlps = false;        ///< ... and the DMA transactions
    std::string events;       ///< .csv or .jsonl: every event
    std::string trace;        ///< .json: a time line in Chrome's trace format
    std::string signals;      ///< .vcd: the state of tables, timers and buffers
    std::string tape;         ///< .tape: what went wrong, to be played again; always of the whole run
    Cycle from, to = kNever;  ///< cycles from .. to - 1

    /// Are events to be observed?
    [[nodiscard]] bool of_events() const {
        return !(capture.empty() && events.empty() && trace.empty() && signals.empty());
    }
    [[nodiscard]] bool any() const { return of_events() || !tape.empty(); }
};

/// A request of either kind that cannot be granted.
struct RequestError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One simulation run: one method, one point of the sweep, one repetition.
struct RunConfig {
    std::array<EndSystemConfig, 2> ends;
    LinkConfig link;
    WorkloadConfig workload;
    std::uint64_t seed = 1;
    std::uint32_t repetition = 0;
    Cycle watchdog;                         ///< no transfer ends for this long: the run is stopped
    std::shared_ptr<const FaultTape> tape;  ///< decides all faults, in place of the probabilities; nullptr = none
    WaveRequest wave;
    ObserveRequest observe;
};

}  // namespace rnicsim
