// SPDX-License-Identifier: Apache-2.0
// Host memory for rings: blocks that come back when a queue is destroyed, and grow together again with their other
// half.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace rnicsim::programs {

/// Entries of a ring for so many WQEs.
inline std::uint32_t ring_of(std::uint32_t wqes) { return std::bit_ceil(std::max<std::uint32_t>(wqes, 1)); }

class RingMemory {
  public:
    /// From `begin` to `end`, in bytes.
    RingMemory(std::uint64_t begin, std::uint64_t end) {
        while (end - begin >= kLeast) {  // the largest blocks that are aligned to their size
            const std::uint64_t aligned = begin == 0 ? std::bit_floor(end) : begin & -begin;
            const std::uint64_t size = std::min(aligned, std::bit_floor(end - begin));
            free_[size].insert(begin);
            begin += size;
        }
    }

    /// Aligned to its size, a power of two of at least 64 bytes. Nothing: there is no room.
    std::optional<std::uint64_t> take(std::uint64_t bytes) {
        const std::uint64_t size = size_of(bytes);
        auto from = free_.lower_bound(size);
        while (from != free_.end() && from->second.empty()) ++from;
        if (from == free_.end()) return {};
        const std::uint64_t at = *from->second.begin();
        from->second.erase(from->second.begin());
        for (std::uint64_t half = from->first / 2; half >= size; half /= 2) free_[half].insert(at + half);
        return at;
    }
    /// Precondition: take() gave it for so many bytes.
    void give_back(std::uint64_t at, std::uint64_t bytes) {
        std::uint64_t size = size_of(bytes);
        while (free_[size].erase(at ^ size) != 0) {
            at &= ~size;
            size *= 2;
        }
        free_[size].insert(at);
    }

  private:
    static constexpr std::uint64_t kLeast = 64;
    static std::uint64_t size_of(std::uint64_t bytes) { return std::bit_ceil(std::max(bytes, kLeast)); }

    std::map<std::uint64_t, std::set<std::uint64_t>> free_;  // by size, the lowest is taken first
};

}  // namespace rnicsim::programs
