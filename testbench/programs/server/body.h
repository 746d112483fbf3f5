// SPDX-License-Identifier: Apache-2.0
// What stands behind the header of a request, read piece by piece, and of an answer, written so.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace rnicsim::programs {

/// An error for the program that has asked.
struct Refusal {
    int error = 0;  ///< an errno
};

class Body {
  public:
    explicit Body(std::span<const std::byte> bytes) : left_(bytes) {}
    /// Throws Refusal if there is not so much.
    template <typename T>
    T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        std::memcpy(&value, take_bytes(sizeof(T)).data(), sizeof(T));
        return value;
    }
    std::span<const std::byte> take_bytes(std::size_t bytes) {
        if (bytes > left_.size()) throw Refusal{EINVAL};
        const auto taken = left_.first(bytes);
        left_ = left_.subspan(bytes);
        return taken;
    }

  private:
    std::span<const std::byte> left_;
};

class Reply {
  public:
    Reply() = default;
    template <typename T>
    explicit Reply(const T& value) {
        add(value);
    }
    template <typename T>
    void add(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof(T));
        std::memcpy(&bytes_[at], &value, sizeof(T));
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace rnicsim::programs
