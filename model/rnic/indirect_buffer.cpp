#include "model/rnic/indirect_buffer.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

IndirectBuffer::IndirectBuffer(std::uint32_t capacity_bytes, std::uint32_t segment) : slots_(capacity_bytes / segment) {
    found_.reserve(slots_.size());
}

std::optional<IndirectBuffer::SlotIndex> IndirectBuffer::store(Tid tid, Sn sn, std::uint32_t length,
                                                               std::uint64_t address) {
    assert(length != 0);
    if (used_ == slots_.size()) return std::nullopt;
    const auto slot = std::ranges::find(slots_, 0U, &Slot::length);
    *slot = {tid, sn, length, address, false};
    high_water_ = std::max(high_water_, ++used_);
    return static_cast<SlotIndex>(slot - slots_.begin());
}

const std::vector<IndirectBuffer::SlotIndex>& IndirectBuffer::slots_of(Tid tid) {
    found_.clear();
    for (SlotIndex i = 0; used_ != 0 && i < slots_.size(); ++i) {
        const Slot& slot = slots_[i];
        if (slot.length != 0 && slot.tid == tid && !slot.draining) found_.push_back(i);
    }
    std::ranges::sort(found_, {}, [this](SlotIndex i) { return slots_[i].sn; });
    return found_;
}

void IndirectBuffer::release(SlotIndex slot) {
    assert(slots_[slot].length != 0);
    slots_[slot] = {};
    --used_;
}

}  // namespace rnicsim
