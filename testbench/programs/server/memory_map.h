// SPDX-License-Identifier: Apache-2.0
// What memory a process of this machine has, as its system says.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace rnicsim::programs {

inline constexpr std::uint64_t kPageBytes = 4096;

/// Addresses of a program, from `begin` on.
struct MemoryRange {
    std::uint64_t begin = 0, bytes = 0;
};

/// The pages that it lies in.
constexpr MemoryRange whole_pages(const MemoryRange& range) {
    const std::uint64_t begin = range.begin & ~(kPageBytes - 1);
    return {begin, (range.begin - begin + range.bytes + kPageBytes - 1) & ~(kPageBytes - 1)};
}

/// Can a card's driver pin all of it, as the kernel does (ib_umem_get): there is memory, it may be read, and written
/// where the region `writes`?
bool is_mapped(pid_t process, const MemoryRange& range, bool writes);

}  // namespace rnicsim::programs
