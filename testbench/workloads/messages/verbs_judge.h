// SPDX-License-Identifier: Apache-2.0
// Judges the hosts with RoCEv2 RNICs in every run: what devices do to memory, what programs are told, and the state
// at the end (VERBS.md 8). It keeps counts of its own and believes no program.
#pragma once

#include "model/config.h"
#include "model/system.h"
#include "testbench/kits/rc/memory_areas.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_message.h"
#include "testbench/kits/rc/verbs_observer.h"
#include "testbench/kits/rc/wire_judge.h"
#include "testbench/records/run_result.h"
#include "testbench/workloads/messages/shared_landing.h"
#include "testbench/workloads/messages/unreliable_messages.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rnicsim {

class VerbsJudge final : public VerbsObserver {
  public:
    /// Both must outlive it.
    VerbsJudge(const RunConfig& config, const VerbsLayout& layout);
    void attach(System& system) { system_ = &system; }

    // What devices do.
    /// A device of this host is about to write.
    void device_writes(unsigned host, std::uint64_t address, std::span<const std::uint8_t> bytes);
    void device_reads(unsigned host, std::uint64_t address, std::uint64_t bytes);

    /// Tells it of all reliable connections, when they have been made.
    void introduce(WireJudge& wire) const;

    // VerbsObserver
    void connected(std::size_t connection, unsigned side, rc::Qpn qp) override {
        connections_[connection].ends.at(side).qp = qp;
    }
    void receive_posted(unsigned host, std::uint32_t slot) override;
    void posted(const PostedMessage& message, Time begins) override;
    void completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) override;
    void seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) override;
    void ended(std::size_t connection, std::uint32_t messages, Time now) override;

    /// To be called when the system is idle behind the last message.
    void check_end(Time last_end);
    /// Of UC and UD: what has been sent and did not come is lost. `samples`: of all connections, in their order.
    void strike_lost(std::span<Sample> samples) const;
    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// Payload has come to memory.
    [[nodiscard]] Time last_progress() const { return last_progress_; }

  private:
    /// A buffer where messages land: the n-th in slot n % slots.
    struct Landing {
        VerbsLayout::Buffer buffer;
        std::vector<std::uint32_t> of_slot;  // the n that is written there
        std::vector<std::uint32_t> placed;   // ... and how many of its bytes have been
        std::vector<std::uint32_t> most;     // ... at most, before it began anew
        void begin(const VerbsLayout::Buffer& of);
    };
    /// One end of a connection.
    struct End {
        rc::Qpn qp;
        std::uint32_t posted = 0;                      // messages
        std::uint32_t completed = 0;                   // of them, those not signaled counted with a later one
        std::uint32_t received = 0;                    // receive completions
        std::uint32_t next_receive = 0;                // of shared ones: behind the last number that one had
        bool flushed = false;                          // one of these, when the QP had failed
        std::vector<std::uint32_t> takers;             // of a mix: its messages that take a receive WQE
        Landing in, sends;                             // by number of the message; SENDs, by that of the receive
        std::optional<UnreliableMessages> unreliable;  // in place of the two: those that come here by UC or UD
    };
    struct Connection {
        Connection(const RunConfig& config, const VerbsLayout::Connection& of)
            : plan(&of), item(&config.traffic[of.item]), kinds(config, of) {}
        const VerbsLayout::Connection* plan;
        const TrafficConfig* item;
        MessageKinds kinds;
        std::array<End, 2> ends;
        std::uint32_t ended = 0;    // messages of the initiator
        std::uint32_t atomics = 0;  // of them, those that have changed their word
        bool failed = false;
    };
    void payload_written(const MemoryArea& area, std::uint64_t address, std::span<const std::uint8_t> bytes);
    [[nodiscard]] static std::uint32_t landing_now(const Connection& c, unsigned side, MemoryArea::What what);
    [[nodiscard]] static std::optional<std::uint32_t> message_at(const Connection& c, unsigned side,
                                                                 MemoryArea::What what, std::uint32_t n);
    void check_landed(std::size_t connection, unsigned side, MemoryArea::What what, std::uint32_t n, Time now);
    void check_copies(Time now);
    void check_receive(std::size_t connection, unsigned side, const rc::Completion& completion, Time now);
    void check_unreliable(std::size_t connection, unsigned side, const rc::Completion& completion,
                          std::uint64_t address, Time now);
    void check_flushed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now);
    void check_shared(Time now);
    std::optional<SharedLanding::Ended> end_shared(std::size_t connection, unsigned side,
                                                   const rc::Completion& completion, Time now);
    void check_at_rest(std::size_t connection, unsigned side, Time now);
    void violate(std::size_t connection, Time at, const std::string& what);
    void violate_if(std::size_t connection, Time at, const std::string& what) {
        if (!what.empty()) violate(connection, at, what);
    }

    const RunConfig& config_;
    const VerbsLayout& layout_;
    System* system_ = nullptr;  // not owned
    std::vector<Connection> connections_;
    const MemoryAreas areas_;
    std::vector<std::optional<SharedLanding>> shared_;  // by host
    Time last_progress_;
    std::string violation_;
};

}  // namespace rnicsim
