// SPDX-License-Identifier: Apache-2.0
// Memory regions: who may touch which bytes. A key is 24 bits of index and 8 bits of tag; a region that is made at an
// index again has another tag. Each page of a region has an entry of 8 bytes in the card's page table, the MTT; a
// region knows its first one.
#pragma once

#include "model/rnic/rc/page_entries.h"
#include "model/rnic/rc/verbs.h"

#include <optional>
#include <vector>

namespace rnicsim::rc {

/// Bits of ibv_access_flags.
struct Access {
    std::uint16_t bits = 0;
    friend constexpr bool operator==(Access, Access) = default;
    friend constexpr Access operator|(Access a, Access b) { return {static_cast<std::uint16_t>(a.bits | b.bits)}; }
    [[nodiscard]] constexpr bool includes(Access other) const { return (bits & other.bits) == other.bits; }
};
inline constexpr Access kLocalRead{0}, kLocalWrite{1}, kRemoteWrite{2}, kRemoteRead{4}, kRemoteAtomic{8},
    kFlushVisible{256}, kFlushPersistent{512};
/// Ours: WRITE_PERSIST may be done there, or, where the range is the mark, a WRITE there is one (V-P1).
inline constexpr Access kWritePersist{1U << 15U};

/// A range of virtual addresses.
struct Range {
    std::uint64_t address = 0;
    std::uint64_t length = 0;
};
constexpr bool overlap(const Range& a, const Range& b) {
    return a.address < b.address + b.length && b.address < a.address + a.length;
}

/// Pages of memory, 2^n bytes each: 12, 21 or 30 (4 KiB, 2 MiB, 1 GiB).
struct PageSize {
    std::uint8_t shift = 12;
    [[nodiscard]] constexpr std::uint64_t page_of(std::uint64_t address) const { return address >> shift; }
    /// Pages that bytes from here on lie in. Precondition: range.length > 0.
    [[nodiscard]] constexpr std::uint64_t pages_of(const Range& range) const {
        return page_of(range.address + (range.length - 1)) - page_of(range.address) + 1;
    }
};

class MrTable {
  public:
    /// Returns the key, or nothing if there are 2^24 regions or no room for the page entries of one more. `bus`: where
    /// the range lies for DMA; programs have addresses of their own, and each page's place is as far into its page.
    std::optional<std::uint32_t> add(Pd pd, Range range, Access access, PageSize page, std::uint64_t bus);
    std::optional<std::uint32_t> add(Pd pd, Range range, Access access, PageSize page = {}) {
        return add(pd, range, access, page, range.address);
    }
    /// Another range, right, protection domain or place for a region that keeps its key (V-Q6). False: there is no such
    /// key, or no room for its page entries, and it is as it was.
    bool change(std::uint32_t key, Pd pd, Range range, Access access, PageSize page, std::uint64_t bus);
    /// The region lies elsewhere for DMA from now on. False: there is no such key.
    bool move(std::uint32_t key, std::uint64_t bus);
    /// Deregistration; false: there is no such key.
    bool remove(std::uint32_t key);
    /// By a peer's SEND with invalidate: the region must be there and in the QP's protection domain.
    bool invalidate(std::uint32_t key, Pd pd);
    [[nodiscard]] bool knows(std::uint32_t key, Pd pd) const { return find(key, pd) != nullptr; }
    /// May a QP of `pd` touch this range so? Of no bytes: always (IBTA vol. 1, C9-88).
    [[nodiscard]] bool allows(std::uint32_t key, Pd pd, Range range, Access access) const {
        return place(key, pd, range, access).has_value();
    }
    /// Where the range lies for DMA; nothing: it may not.
    [[nodiscard]] std::optional<std::uint64_t> place(std::uint32_t key, Pd pd, Range range, Access access) const;
    /// Where an address of a region lies for DMA. Precondition: allows() has said so, or there is no byte.
    [[nodiscard]] std::uint64_t bus(std::uint32_t key, std::uint64_t address) const {
        const Region* const region = find(key);
        return region == nullptr ? address : address + region->to_bus;
    }
    /// Has the region of this key this right, or mark?
    [[nodiscard]] bool has(std::uint32_t key, Pd pd, Access access) const {
        const Region* const region = find(key, pd);
        return region != nullptr && region->access.includes(access);
    }
    /// All that the region holds, and nothing if there is none of this key.
    [[nodiscard]] std::optional<Range> range_of(std::uint32_t key, Pd pd) const {
        const Region* const region = find(key, pd);
        return region == nullptr ? std::optional<Range>{} : region->range;
    }
    [[nodiscard]] std::size_t used() const { return regions_.size() - free_.size(); }

    /// Entries of the MTT.
    struct Pages {
        std::uint64_t first = 0, count = 0;
    };
    /// Those that translate these addresses of a region; nothing: there is no such region, or not all of them are its.
    [[nodiscard]] std::optional<Pages> pages_of(std::uint32_t key, Range range) const;
    /// Of all regions that there have been at once: those of a region that ends are the next ones' (V-Q8).
    [[nodiscard]] std::uint64_t page_entries() const { return page_entries_.end(); }
    /// There is no room for more.
    void set_most_page_entries(std::uint64_t most) { page_entries_.set_most(most); }
    /// What the hardware's table has at an index, to decide about keys.
    struct Entry {
        bool valid = false;
        std::uint8_t tag = 0;  ///< the key's lowest 8 bits
        Pd pd{};
        Range range;
        Access access;
    };
    /// Where there has never been a region: nothing valid.
    [[nodiscard]] Entry entry(std::uint32_t index) const {
        if (index >= regions_.size()) return {};
        const Region& region = regions_[index];
        return {region.valid, region.tag, region.pd, region.range, region.access};
    }
    /// Where a key's region is in the table.
    [[nodiscard]] static constexpr std::uint32_t index_of(std::uint32_t key) { return key >> 8U; }

  private:
    static constexpr std::uint32_t kIndices = 1U << 24U;
    struct Region {
        bool valid = false;
        std::uint8_t tag = 0;
        Pd pd{};
        Range range;
        Access access;
        PageSize page;
        PageEntries::Piece entries;  // in the MTT
        std::uint64_t to_bus = 0;    // added to an address, mod 2^64
    };
    /// False, and nothing has changed: there is no room in the MTT.
    bool fill(Region& region, Pd pd, Range range, Access access, PageSize page, std::uint64_t bus);
    [[nodiscard]] const Region* find(std::uint32_t key) const;
    [[nodiscard]] const Region* find(std::uint32_t key, Pd pd) const;

    std::vector<Region> regions_;
    std::vector<std::uint32_t> free_;  // indices, the last one is taken first
    PageEntries page_entries_;
};

}  // namespace rnicsim::rc
