// SPDX-License-Identifier: Apache-2.0
// Messages of a connection, in order, to its other end and from there, by rings behind a bridge: by rings of its own,
// or, with run.nts.partitions, by those of a partition, whose thread gets them from it, and hands them to it, through
// queues of shared memory. What a connection sends and takes is its user's. A value.
#pragma once

#include "testbench/applications/nts/queue.h"
#include "testbench/applications/nts/ring_core.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rnicsim::nts {

/// The number of Plan::Area::shared for the messages of a partition's connections at a side's host; the next one is
/// that of its queues.
[[nodiscard]] std::uint32_t shared_by(const Partition& partition, unsigned side, unsigned peer);

class MessagePipe {
  public:
    class User {
      public:
        /// The next message, in kUser: it is taken now; or its place is empty, as it has been lost.
        virtual void came(const Queue::Entry& message, Actions& actions) = 0;

      protected:
        ~User() = default;
    };

    /// `settings` outlives it.
    MessagePipe(const NtsSettings& settings, Partition partition, const applications::Seat& seat);

    void start(Actions& actions);
    /// All that the end is told of; what is asked for when that is sent.
    void on(const applications::Event& event, User& user, Actions& actions);
    /// Of kUser: its bytes stay there until the other end has them.
    void send(const Queue::Entry& message, Actions& actions);
    /// The connection, in its partition.
    [[nodiscard]] const Member& me() const { return partition_->me; }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    /// A connection's queues, as the thread of its rings has them.
    struct Queues {
        Queue given, came;
    };
    [[nodiscard]] static Queues queues_of(const Member& of);
    void copy(const Queue::Entry& message, Actions& actions) const;
    void give(const Queue::Entry& message, User& user, Actions& actions);
    /// What the rings have for connections of the partition.
    void give_all(User& user, Actions& actions);
    void hand_on(const RingReader::Whole& message, Actions& actions);
    void notify(std::uint32_t tag, bool is_itself, Actions& actions) const;
    void woken(std::uint32_t tag, Actions& actions) const;
    /// The thread of the rings looks at the queue of a connection; the connection at its own.
    void look_at(std::uint32_t member, Actions& actions);
    void look(User& user, Actions& actions);

    const NtsSettings* settings_;
    std::shared_ptr<const Partition> partition_;  // of all copies
    std::uint32_t shared_;
    Queues mine_;
    bool serves_ = false;              // its program works on a message
    std::optional<RingCore> core_;     // of the one that has the rings
    std::vector<Queues> of_others_;    // by member, as the core has them
    std::vector<std::uint64_t> told_;  // likewise: messages that have been taken, as it has told
};

}  // namespace rnicsim::nts
