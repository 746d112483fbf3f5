// FIFO of items that become visible at a cycle. Grows, never shrinks, allocates only to grow.
#pragma once

#include "tlm/units.h"

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace rnicsim {

template <typename T>
class Inbox {
  public:
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Cycle of the oldest item; kNever when empty.
    [[nodiscard]] Cycle next_due() const { return size_ == 0 ? kNever : ring_[head_].due; }
    [[nodiscard]] bool ready(Cycle now) const { return size_ != 0 && ring_[head_].due <= now; }

    /// Precondition: due is not before that of the previous item (a FIFO in time).
    void push(T item, Cycle due) {
        assert(size_ == 0 || ring_[(head_ + size_ - 1) & (ring_.size() - 1)].due <= due);
        if (size_ == ring_.size()) grow();
        Slot& slot = ring_[(head_ + size_) & (ring_.size() - 1)];
        slot.item = std::move(item);
        slot.due = due;
        ++size_;
    }

    /// Precondition: not empty.
    [[nodiscard]] const T& front() const { return ring_[head_].item; }
    T pop() {
        assert(size_ != 0);
        T item = std::move(ring_[head_].item);
        head_ = (head_ + 1) & (ring_.size() - 1);
        --size_;
        return item;
    }

  private:
    struct Slot {
        T item{};
        Cycle due;
    };

    void grow() {
        std::vector<Slot> bigger(ring_.empty() ? 16 : 2 * ring_.size());
        for (std::size_t i = 0; i < size_; ++i) bigger[i] = std::move(ring_[(head_ + i) & (ring_.size() - 1)]);
        ring_ = std::move(bigger);
        head_ = 0;
    }

    std::vector<Slot> ring_;  // size is a power of two, or zero
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

}  // namespace rnicsim
