// SPDX-License-Identifier: Apache-2.0
// The host's processor and the driver that runs on it: interrupt handler, registration, commands, ordinary frames.
// One core; software is a sequence of tasks: each takes a time, then has its effect.
#pragma once

#include "model/host/memory.h"
#include "model/host/root_complex.h"
#include "model/rnic/drp/host/config.h"
#include "model/rnic/drp/host/host_observer.h"
#include "model/rnic/drp/host/peer_hosts.h"
#include "model/rnic/drp/host/region_table.h"
#include "model/rnic/drp/host/registrar.h"
#include "model/rnic/drp/host/tid_choice.h"
#include "model/rnic/drp/host/upper_layer.h"
#include "tlm/drp/host_queues.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <variant>
#include <vector>

namespace rnicsim {

/// What the driver knows of its RNIC and its place in the network.
struct DriverConfig {
    HostConfig host;
    Method method = Method::dynamic;  ///< of the RNIC: only a dynamic one accepts an unsolicited verdict
    unsigned end = 0;                 ///< the host
    PeerHosts peers{{}};              ///< with whom it has transfers; the first one gets its pings
    FaultSource& faults;
};

class Processor : public sc_core::sc_module {
  public:
    Processor(sc_core::sc_module_name name, const DriverConfig& config, Memory& memory, RootComplex& root_complex,
              ClockedWakeup& wakeup);

    /// To be called before the simulation starts.
    void set_upper_layer(UpperLayer& upper_layer) { upper_layer_ = &upper_layer; }

    /// Not owned; nullptr = none.
    void set_observer(HostObserver* observer) { observer_ = observer; }

    /// Asks the upper layer for transfers at `at` (start of the run; a resource came free).
    void kick(Cycle at);
    /// No more echo requests and no more other tasks from now on.
    void stop_background() { background_ = false; }

    /// An MSI arrives.
    void interrupt(Cycle at);
    /// Is it idle before `due`, whatever other modules do until then?
    [[nodiscard]] bool rests_until(Cycle due) const;
    /// Carries out the tasks that are due: by time, then in the order in which they were planned.
    void run(Cycle now);

    [[nodiscard]] Cycle next_due() const;
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const RegionTable& regions() const { return regions_; }
    [[nodiscard]] std::vector<std::string> waiting() const;

    struct Counters {
        std::uint64_t interrupts = 0, events = 0, commands = 0, pings_sent = 0, pings_answered = 0, ping_replies = 0,
                      frames_dropped = 0;
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] const Registrar& registrar() const { return registrar_; }
    /// When the handler last took an event of a transfer.
    [[nodiscard]] Cycle served_at() const { return served_at_; }

  private:
    // What the core does, each with what it needs to know.
    struct PollEvents {};
    struct HandleEvent {
        Event event;
    };
    struct AttemptRegistration {
        Registrar::Key region;
        bool asked = false;  ///< a request waits for the verdict
    };
    struct RetryRegistration {
        Registrar::Key region;
    };
    struct PostCommand {
        Command command;
    };
    struct PostWaiting {};
    struct SendPing {
        std::uint32_t stream = 0;
    };
    struct ChangeMemoryTask {
        std::uint32_t task = 0;
    };
    using Work = std::variant<PollEvents, HandleEvent, AttemptRegistration, RetryRegistration, PostCommand, PostWaiting,
                              SendPing, ChangeMemoryTask>;
    struct Task {
        Cycle due;
        std::uint64_t order = 0;
        Work work;

        /// For a heap: the next one is at its top.
        [[nodiscard]] bool later_than(const Task& other) const {
            return due != other.due ? due > other.due : order > other.order;
        }
    };
    struct Active {
        Tid tid{};
        Peer peer{};
        std::uint32_t id = 0;
    };

    void plan(Cycle due, const Work& work);
    Cycle occupy(Cycle from, Cycle cost);
    void carry_out(Cycle now, const PollEvents& work);
    void carry_out(Cycle now, const HandleEvent& work);
    void carry_out(Cycle now, const AttemptRegistration& work);
    void carry_out(Cycle now, const RetryRegistration& work);
    void carry_out(Cycle now, const PostCommand& work);
    void carry_out(Cycle now, const PostWaiting& work);
    void carry_out(Cycle now, const SendPing& work);
    void carry_out(Cycle now, const ChangeMemoryTask& work);
    void report_to_upper_layer(Cycle now, const Event& event);
    void asked_to_register(Cycle now, const Event& event);
    void frame_received(Cycle now, const Event& event);
    void plan_retry(Cycle now, Registrar::Region& region, RegistrationOutcome outcome);
    void released(Cycle now, const Event& event);
    void plan_memory_task(std::uint32_t index, Cycle at);
    void start_unasked(Cycle now, const Registrar::Key& key);
    void memory_released(Cycle now);
    void send_frame(Cycle now, std::span<const std::uint8_t> frame);
    void issue_transfers(Cycle now);
    void submit_verdict(Cycle now, const Registrar::Key& key, bool registered);
    void submit(Cycle now, const Command& command);
    void report(HostStep what, const TransferKey& of, std::uint32_t value, Cycle since);
    void plan_post_waiting(Cycle now);
    void ring(Cycle now, Doorbell which, std::uint32_t value);
    void write(Cycle now, const Command& command);
    [[nodiscard]] bool command_ring_has_room() const {
        return commands_posted_ - status().commands_fetched < kCommandRing;
    }
    [[nodiscard]] Status status() const;  ///< how far the RNIC has come

    const DriverConfig config_;
    Memory& memory_;
    RootComplex& root_complex_;
    ClockedWakeup& wakeup_;
    UpperLayer* upper_layer_ = nullptr;  // not owned
    HostObserver* observer_ = nullptr;   // not owned
    RegionTable regions_;
    std::vector<Task> tasks_;  // heap
    std::uint64_t planned_ = 0;
    Cycle free_at_;  // the core is busy until then
    Cycle served_at_;
    Cycle kick_at_ = kNever;
    bool polling_ = false;  // an interrupt has been taken, its handler is still running
    bool background_ = true;
    std::uint32_t events_taken_ = 0, events_reported_ = 0, commands_posted_ = 0, buffers_returned_ = 0,
                  frames_sent_ = 0;
    TidChoice tids_;
    std::deque<Command> waiting_;  // for room in the command ring, in order
    std::vector<Active> active_;
    Registrar registrar_;
    std::vector<std::uint16_t> ping_sequence_;
    Counters counters_;
};

}  // namespace rnicsim
