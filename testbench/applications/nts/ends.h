// SPDX-License-Identifier: Apache-2.0
// The two ends of a connection: side 0 sends messages, side 1 takes them and, if it is asked to, sends each back. An
// operation ends where its message is taken last. Without run.nts.partitions an end runs its rings itself; else it
// hands messages to the thread of its partition, and gets them from there, through queues of shared memory. Values.
#pragma once

#include "testbench/applications/nts/queue.h"
#include "testbench/applications/nts/ring_core.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rnicsim::nts {

/// Where the time of an operation goes: on the way there, on the way back.
enum class Part : std::uint8_t { there, back };

/// The number of Plan::Area::shared for the messages of a partition's connections at a side's host; the next one is
/// that of its queues.
[[nodiscard]] std::uint32_t shared_by(const Partition& partition, unsigned side, unsigned peer);

class RingEnd final : public applications::End {
  public:
    RingEnd(const TrafficConfig& item, const applications::Seat& seat);
    [[nodiscard]] std::unique_ptr<End> copy() const override { return std::make_unique<RingEnd>(*this); }
    void start(Actions& actions) override;
    void on(const applications::Event& event, Actions& actions) override;
    void state(std::vector<std::uint64_t>& words) const override;

  private:
    /// A connection's queues, as the thread of its rings has them.
    struct Queues {
        Queue given, came;
    };
    [[nodiscard]] Queues queues_of(const Member& of) const;
    void asked(const applications::Event& event, Actions& actions);
    void copy(std::uint32_t at, std::uint32_t bytes, Actions& actions);
    void send(const Queue::Entry& message, Actions& actions);
    void take(const Queue::Entry& message, Actions& actions);
    /// What the rings have for connections of the partition.
    void give(Actions& actions);
    void hand_on(const RingReader::Whole& message, Actions& actions);
    void notify(std::uint32_t tag, bool is_itself, Actions& actions);
    void woken(std::uint32_t tag, Actions& actions);
    /// The thread of the rings looks at the queue of a connection; the connection at its own.
    void look_at(std::uint32_t member, Actions& actions);
    void look(Actions& actions);

    const NtsSettings* settings_;
    std::shared_ptr<const Partition> partition_;  // of all copies
    unsigned side_;
    std::uint32_t shared_;
    Queues mine_;
    std::uint32_t operation_ = 0;      // of what comes next
    bool serves_ = false;              // its program works on a message
    std::optional<RingCore> core_;     // of the one that has the rings
    std::vector<Queues> of_others_;    // by member, as the core has them
    std::vector<std::uint64_t> told_;  // likewise: messages that have been taken, as it has told
};

}  // namespace rnicsim::nts
