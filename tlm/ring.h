// SPDX-License-Identifier: Apache-2.0
// FIFO in a ring. Grows, never shrinks, allocates only to grow.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace rnicsim {

template <typename T>
class Ring {
  public:
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Precondition of each: not empty.
    [[nodiscard]] const T& front() const { return ring_[head_]; }
    [[nodiscard]] const T& back() const { return ring_[place(size_ - 1)]; }

    void push(T item) {
        if (size_ == ring_.size()) grow();
        ring_[place(size_)] = std::move(item);
        ++size_;
    }
    /// Precondition: not empty.
    T pop() {
        assert(size_ != 0);
        T item = std::move(ring_[head_]);
        head_ = place(1);
        --size_;
        return item;
    }

  private:
    [[nodiscard]] std::size_t place(std::size_t behind_head) const {
        return (head_ + behind_head) & (ring_.size() - 1);
    }

    void grow() {
        std::vector<T> bigger(ring_.empty() ? 16 : 2 * ring_.size());
        for (std::size_t i = 0; i < size_; ++i) bigger[i] = std::move(ring_[place(i)]);
        ring_ = std::move(bigger);
        head_ = 0;
    }

    std::vector<T> ring_;  // size is a power of two, or zero
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

}  // namespace rnicsim
