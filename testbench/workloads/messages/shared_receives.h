// SPDX-License-Identifier: Apache-2.0
// The receive WQEs that all QPs of a host share (SRQ), as their program has them: each has a slot of the buffer, and is
// posted again with it as soon as it has ended, or, with a limit, when the card says that few are left, all that have
// ended by then. They do not end in the order in which they were posted.
#pragma once

#include "model/host/verbs/verbs_driver.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/verbs_observer.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rnicsim {

/// Slots of what is posted, by the number that a completion has: counted on from 0.
class PostedSlots {
  public:
    void post(std::uint32_t slot) { slots_.push_back(slot); }
    /// Nothing: none of this number is posted. Else it is not any more.
    std::optional<std::uint32_t> end(std::uint32_t index);
    /// Has each one ended that was posted before one that has?
    [[nodiscard]] bool without_gap() const;

  private:
    static constexpr std::uint32_t kEnded = ~std::uint32_t{0};
    std::deque<std::uint32_t> slots_;  // the first one has not ended
    std::uint32_t first_ = 0;          // its number
};

class SharedReceives {
  public:
    /// Makes the queue, prepares what is there from the beginning, and arms it with `limit` unless that is 0. `driver`
    /// and `observer` must outlive it.
    SharedReceives(const VerbsLayout::Shared& plan, std::uint32_t limit, unsigned host, std::uint32_t key,
                   VerbsDriver& driver, VerbsObserver& observer);
    [[nodiscard]] rc::ReceiveQueueNumber queue() const { return queue_; }
    /// This one has ended. Throws std::logic_error if it was not posted.
    /// `thread`: who has seen it, and posts again what it may.
    void ended(Cycle now, std::uint32_t index, Thread thread);
    void limit_reached(Cycle now);
    /// One with this buffer is in the ring.
    void written(const rc::ReceiveSges& sges) { posted(buffer_.slot_at(sges[0].address)); }

  private:
    void fill_up(Cycle now, Thread thread);
    [[nodiscard]] rc::ReceiveSges buffer(std::uint32_t slot) const;
    void posted(std::uint32_t slot);

    VerbsLayout::Buffer buffer_;
    std::uint32_t limit_;
    unsigned host_;
    std::uint32_t key_;
    VerbsDriver* driver_;      // not owned
    VerbsObserver* observer_;  // not owned
    rc::ReceiveQueueNumber queue_;
    PostedSlots slots_;
    std::vector<std::uint32_t> free_;  // slots that are not posted
    bool armed_;                       // by the program's knowledge: what has ended may wait
};

}  // namespace rnicsim
