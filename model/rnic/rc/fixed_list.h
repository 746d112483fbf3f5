// SPDX-License-Identifier: Apache-2.0
// A list in place with a fixed capacity: nothing is allocated where packets pass.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>

namespace rnicsim::rc {

template <typename T, std::size_t N>
class FixedList {
  public:
    constexpr FixedList() = default;
    constexpr FixedList(std::initializer_list<T> items) {
        for (const T& item : items) push(item);
    }

    static constexpr std::size_t capacity() { return N; }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }
    [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
    [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
    [[nodiscard]] constexpr const T* end() const { return items_.data() + size_; }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return items_[i]; }

    /// Precondition: there is room.
    constexpr void push(const T& item) {
        assert(size_ < N);
        items_[size_++] = item;
    }
    constexpr void clear() { size_ = 0; }

    friend constexpr bool operator==(const FixedList& a, const FixedList& b) {
        if (a.size_ != b.size_) return false;
        for (std::size_t i = 0; i < a.size_; ++i) {
            if (!(a.items_[i] == b.items_[i])) return false;
        }
        return true;
    }

  private:
    std::array<T, N> items_{};
    std::size_t size_ = 0;
};

}  // namespace rnicsim::rc
