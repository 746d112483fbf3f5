// Host memory for rings: blocks that come back when a queue is destroyed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rnicsim::programs {

/// Entries of a ring for so many WQEs.
inline std::uint32_t ring_of(std::uint32_t wqes) { return std::bit_ceil(std::max<std::uint32_t>(wqes, 1)); }

class RingMemory {
  public:
    /// From `begin` to `end`, in bytes.
    RingMemory(std::uint64_t begin, std::uint64_t end) : next_(begin), end_(end) {}

    /// Aligned to its size, a power of two of at least 64 bytes. Nothing: there is no room.
    std::optional<std::uint64_t> take(std::uint64_t bytes) {
        const std::uint64_t size = size_of(bytes);
        std::vector<std::uint64_t>& free = free_[size];
        if (!free.empty()) {
            const std::uint64_t at = free.back();
            free.pop_back();
            return at;
        }
        const std::uint64_t at = (next_ + size - 1) & ~(size - 1);
        if (at > end_ || size > end_ - at) return {};
        next_ = at + size;
        return at;
    }
    /// Precondition: take() gave it for so many bytes.
    void give_back(std::uint64_t at, std::uint64_t bytes) { free_[size_of(bytes)].push_back(at); }

  private:
    static std::uint64_t size_of(std::uint64_t bytes) { return std::bit_ceil(bytes < 64 ? std::uint64_t{64} : bytes); }

    std::uint64_t next_, end_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> free_;  // by size
};

}  // namespace rnicsim::programs
