// SPDX-License-Identifier: Apache-2.0
// FIFO of items that become visible at a cycle.
#pragma once

#include "tlm/ring.h"
#include "tlm/time/cycle.h"

#include <cassert>
#include <cstddef>
#include <utility>

namespace rnicsim {

template <typename T>
class Inbox {
  public:
    [[nodiscard]] bool empty() const { return ring_.empty(); }
    [[nodiscard]] std::size_t size() const { return ring_.size(); }

    /// Cycle of the oldest item; kNever when empty.
    [[nodiscard]] Cycle next_due() const { return ring_.empty() ? kNever : ring_.front().due; }
    [[nodiscard]] bool ready(Cycle now) const { return !ring_.empty() && ring_.front().due <= now; }

    /// Is due not before that of the previous item?
    [[nodiscard]] bool takes(Cycle due) const { return ring_.empty() || ring_.back().due <= due; }
    /// Precondition: takes(due), as it is a FIFO in time.
    void push(T item, Cycle due) {
        assert(takes(due));
        ring_.push({std::move(item), due});
    }

    /// Precondition of both: not empty.
    [[nodiscard]] const T& front() const { return ring_.front().item; }
    T pop() { return ring_.pop().item; }

  private:
    struct Slot {
        T item{};
        Cycle due;
    };
    Ring<Slot> ring_;
};

}  // namespace rnicsim
