// SPDX-License-Identifier: Apache-2.0
// A FIFO whose items keep their number, counted on mod 2^32: a work queue's entries are known by it. Grows, never
// shrinks, allocates only to grow.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rnicsim::rc {

template <typename T>
class CountedRing {
  public:
    using Number = std::uint32_t;

    [[nodiscard]] Number first() const { return first_; }
    [[nodiscard]] Number end() const { return end_; }  ///< the number of the next one
    [[nodiscard]] std::uint32_t size() const { return end_ - first_; }
    [[nodiscard]] bool empty() const { return end_ == first_; }
    [[nodiscard]] bool holds(Number n) const { return n - first_ < size(); }

    /// Precondition: holds(n).
    [[nodiscard]] const T& operator[](Number n) const { return ring_[place(n)]; }
    [[nodiscard]] T& operator[](Number n) {
        assert(holds(n));
        return ring_[place(n)];
    }
    /// Precondition of the next five: not empty.
    [[nodiscard]] const T& front() const { return (*this)[first_]; }
    [[nodiscard]] T& front() { return (*this)[first_]; }
    [[nodiscard]] T& back() { return (*this)[end_ - 1]; }

    void pop() {
        assert(!empty());
        ++first_;
    }
    T pop_front() {
        T item = std::move(front());
        pop();
        return item;
    }

    void push(T item) {
        if (size() == ring_.size()) grow();
        ring_[place(end_)] = std::move(item);
        ++end_;
    }
    /// Those from `at` on get the next number. Precondition: at is the number of one, or end().
    void insert(Number at, T item) {
        push(std::move(item));
        for (Number n = end_ - 1; n != at; --n) std::swap((*this)[n], (*this)[n - 1]);
    }
    /// What is left is forgotten; the next one has this number.
    void restart_at(Number n) { first_ = end_ = n; }
    void clear() { first_ = end_; }

  private:
    [[nodiscard]] std::size_t place(Number n) const { return n & (ring_.size() - 1); }

    void grow() {
        std::vector<T> bigger(ring_.empty() ? 4 : 2 * ring_.size());
        for (Number n = first_; n != end_; ++n) bigger[n & (bigger.size() - 1)] = std::move(ring_[place(n)]);
        ring_ = std::move(bigger);
    }

    std::vector<T> ring_;  // size is a power of two, or zero
    Number first_ = 0, end_ = 0;
};

}  // namespace rnicsim::rc
