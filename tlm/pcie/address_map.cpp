// SPDX-License-Identifier: Apache-2.0
#include "tlm/pcie/address_map.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>

namespace rnicsim {
namespace {

void check_size(std::uint64_t size) {
    if (!std::has_single_bit(size) || size < kLeastBar)
        throw std::invalid_argument("a BAR's size must be a power of two, at least 4096 bytes");
}

}  // namespace

AddressMap::AddressMap() { add({kInterrupts, kInterruptBytes, AddressKind::msi, 0, 0}); }

void AddressMap::add_dram(std::uint64_t base, std::uint64_t size) {
    if (size != 0) add({base, size, AddressKind::dram, 0, 0});
}

void AddressMap::add_bar_at(std::uint32_t device, std::uint32_t bar, std::uint64_t base, std::uint64_t size) {
    check_size(size);
    if ((base & (size - 1)) != 0) throw std::invalid_argument("a BAR must begin at a multiple of its size");
    add({base, size, AddressKind::bar, device, bar});
}

std::uint64_t AddressMap::add_bar(std::uint32_t device, std::uint32_t bar, std::uint64_t size) {
    check_size(size);
    if (next_bar_ == 0 || size - 1 > ~next_bar_) throw std::invalid_argument("no addresses are left for a BAR");
    const std::uint64_t base = (next_bar_ + (size - 1)) & ~(size - 1);
    add_bar_at(device, bar, base, size);
    next_bar_ = base + size;  // 0: behind the last address
    return base;
}

void AddressMap::add(const AddressRange& range) {
    if (range.size - 1 > ~range.base) throw std::invalid_argument("a range of addresses ends above 64 bits");
    const auto behind = std::ranges::upper_bound(ranges_, range.base, {}, &AddressRange::base);
    const bool meets_next = behind != ranges_.end() && behind->base - range.base < range.size;
    const bool meets_last = behind != ranges_.begin() && std::prev(behind)->holds(range.base, 1);
    if (meets_next || meets_last) throw std::invalid_argument("two ranges of addresses overlap");
    ranges_.insert(behind, range);
}

const AddressRange* AddressMap::find(std::uint64_t address, std::uint64_t bytes) const {
    const auto behind = std::ranges::upper_bound(ranges_, address, {}, &AddressRange::base);
    if (behind == ranges_.begin() || !std::prev(behind)->holds(address, bytes)) return nullptr;
    return &*std::prev(behind);
}

}  // namespace rnicsim
