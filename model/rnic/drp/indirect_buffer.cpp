// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/indirect_buffer.h"

#include "tlm/drp/drp_header.h"

#include <algorithm>
#include <cassert>

namespace rnicsim {

IndirectBuffer::IndirectBuffer(std::uint32_t capacity_bytes, std::uint32_t segment)
    : slots_(capacity_bytes / ((segment + 7) / 8 * 8)) {
    found_.reserve(slots_.size());
}

void IndirectBuffer::keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes, FrameRef frame) {
    assert(!full() && bytes != 0);
    Slot& slot = *std::ranges::find(slots_, 0U, &Slot::length);
    slot = {.of = of, .sn = sn, .length = bytes, .address = address, .frame = std::move(frame)};
    ++used_;
    if (raw(of.peer) >= used_by_.size()) used_by_.resize(std::size_t{raw(of.peer)} + 1);
    ++used_by_[raw(of.peer)];
}

const std::vector<IndirectBuffer::SlotIndex>& IndirectBuffer::drain(const TransferKey& of) {
    find(of);
    std::ranges::sort(found_, {}, [this](SlotIndex i) { return slots_[i].sn; });
    for (const SlotIndex i : found_) {
        Slot& slot = slots_[i];
        slot.draining = true;
        if (slot.frame) slot.data = slot.frame->client_data().data() + kDrpHeaderBytes;
    }
    return found_;
}

void IndirectBuffer::drop(const TransferKey& of) {
    find(of);
    for (const SlotIndex i : found_) left(i);
}

void IndirectBuffer::left(SlotIndex slot) {
    assert(slots_[slot].length != 0);
    --used_by_[raw(slots_[slot].of.peer)];
    slots_[slot] = {};
    --used_;
}

void IndirectBuffer::find(const TransferKey& of) {
    found_.clear();
    for (SlotIndex i = 0; used_ != 0 && i < slots_.size(); ++i) {
        const Slot& slot = slots_[i];
        if (slot.length != 0 && slot.of == of && !slot.draining) found_.push_back(i);
    }
}

}  // namespace rnicsim
