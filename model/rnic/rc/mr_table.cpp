// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/mr_table.h"

namespace rnicsim::rc {
namespace {

/// By differences, as the end of a range may be 2^64.
bool lies_in(const Range& inner, const Range& outer) {
    return inner.address >= outer.address && inner.length <= outer.length &&
           inner.address - outer.address <= outer.length - inner.length;
}

}  // namespace

std::optional<std::uint32_t> MrTable::add(Pd pd, Range range, Access access, PageSize page, std::uint64_t bus) {
    std::uint32_t index = 0;
    if (!free_.empty()) {
        index = free_.back();
        free_.pop_back();
    } else {
        if (regions_.size() == kIndices) return {};
        index = static_cast<std::uint32_t>(regions_.size());
        regions_.emplace_back();
    }
    Region& region = regions_[index];
    if (!fill(region, pd, range, access, page, bus)) {
        free_.push_back(index);
        return {};
    }
    // Never key 0: as the key of no SGE it ends a list in a receive WQE.
    ++region.tag;
    if (index == 0 && region.tag == 0) region.tag = 1;
    return index << 8U | region.tag;
}

bool MrTable::fill(Region& region, Pd pd, Range range, Access access, PageSize page, std::uint64_t bus) {
    const std::uint64_t pages = range.length == 0 ? 0 : page.pages_of(range);
    const auto entries = page_entries_.take(pages);
    if (!entries) return false;
    region = {true, region.tag, pd, range, access, page, *entries, bus - range.address};
    return true;
}

bool MrTable::change(std::uint32_t key, Pd pd, Range range, Access access, PageSize page, std::uint64_t bus) {
    if (find(key) == nullptr) return false;
    Region& region = regions_[index_of(key)];
    const PageEntries::Piece before = region.entries;
    if (!fill(region, pd, range, access, page, bus)) return false;
    page_entries_.give_back(before);
    return true;
}

bool MrTable::move(std::uint32_t key, std::uint64_t bus) {
    if (find(key) == nullptr) return false;
    Region& region = regions_[index_of(key)];
    region.to_bus = bus - region.range.address;
    return true;
}

const MrTable::Region* MrTable::find(std::uint32_t key) const {
    const std::uint32_t index = index_of(key);
    if (index >= regions_.size()) return nullptr;
    const Region& region = regions_[index];
    return region.valid && region.tag == (key & 0xFFU) ? &region : nullptr;
}

const MrTable::Region* MrTable::find(std::uint32_t key, Pd pd) const {
    const Region* const region = find(key);
    return region != nullptr && region->pd == pd ? region : nullptr;
}

bool MrTable::remove(std::uint32_t key) {
    const std::uint32_t index = key >> 8U;
    if (index >= regions_.size() || !regions_[index].valid || regions_[index].tag != (key & 0xFFU)) return false;
    regions_[index].valid = false;
    page_entries_.give_back(regions_[index].entries);
    free_.push_back(index);
    return true;
}

bool MrTable::invalidate(std::uint32_t key, Pd pd) { return knows(key, pd) && remove(key); }

std::optional<std::uint64_t> MrTable::place(std::uint32_t key, Pd pd, Range range, Access access) const {
    if (range.length == 0) return range.address;
    const Region* const region = find(key, pd);
    if (region == nullptr || !region->access.includes(access) || !lies_in(range, region->range)) return {};
    return range.address + region->to_bus;
}

std::optional<MrTable::Pages> MrTable::pages_of(std::uint32_t key, Range range) const {
    const Region* const region = find(key);
    if (region == nullptr || range.length == 0 || !lies_in(range, region->range)) return {};
    const std::uint64_t ahead = region->page.page_of(range.address) - region->page.page_of(region->range.address);
    return Pages{region->entries.first + ahead, region->page.pages_of(range)};
}

}  // namespace rnicsim::rc
