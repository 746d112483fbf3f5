// Memory regions: who may touch which bytes. A key is 24 bits of index and 8 bits of tag; a region that is made at an
// index again has another tag. Pages and the MTT come with the host's side.
#pragma once

#include "model/rnic/rc/verbs.h"

#include <optional>
#include <vector>

namespace rnicsim::rc {

/// Bits of ibv_access_flags.
struct Access {
    std::uint8_t bits = 0;
    friend constexpr bool operator==(Access, Access) = default;
    friend constexpr Access operator|(Access a, Access b) { return {static_cast<std::uint8_t>(a.bits | b.bits)}; }
    [[nodiscard]] constexpr bool includes(Access other) const { return (bits & other.bits) == other.bits; }
};
inline constexpr Access kLocalRead{0}, kLocalWrite{1}, kRemoteWrite{2}, kRemoteRead{4}, kRemoteAtomic{8};

/// A range of virtual addresses.
struct Range {
    std::uint64_t address = 0;
    std::uint64_t length = 0;
};

class MrTable {
  public:
    /// Returns the key, or nothing if there are 2^24 regions.
    std::optional<std::uint32_t> add(Pd pd, Range range, Access access);
    /// Deregistration; false: there is no such key.
    bool remove(std::uint32_t key);
    /// By a peer's SEND with invalidate: the region must be there and in the QP's protection domain.
    bool invalidate(std::uint32_t key, Pd pd);
    [[nodiscard]] bool knows(std::uint32_t key, Pd pd) const { return find(key, pd) != nullptr; }
    /// May a QP of `pd` touch this range so? Of no bytes: always (IBTA vol. 1, C9-88).
    [[nodiscard]] bool allows(std::uint32_t key, Pd pd, Range range, Access access) const;
    [[nodiscard]] std::size_t used() const { return regions_.size() - free_.size(); }

  private:
    static constexpr std::uint32_t kIndices = 1U << 24U;
    struct Region {
        bool valid = false;
        std::uint8_t tag = 0;
        Pd pd{};
        Range range;
        Access access;
    };
    [[nodiscard]] const Region* find(std::uint32_t key, Pd pd) const;

    std::vector<Region> regions_;
    std::vector<std::uint32_t> free_;  // indices, the last one is taken first
};

}  // namespace rnicsim::rc
