// SPDX-License-Identifier: Apache-2.0
// What the indirect buffer in Verilog has to hold: by this its ports are checked.
#pragma once

#include "model/rnic/drp/indirect_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace rnicsim {

template <std::size_t kSlots>
class KeptFrames {
  public:
    using SlotIndex = IndirectBufferEngine::SlotIndex;

    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] bool holds(SlotIndex slot) const { return slots_.at(slot).length != 0; }
    [[nodiscard]] std::uint64_t address(SlotIndex slot) const { return slots_.at(slot).address; }
    [[nodiscard]] std::uint32_t bytes(SlotIndex slot) const { return slots_.at(slot).length; }

    void keep(SlotIndex slot, const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes,
              FrameRef frame) {
        slots_.at(slot) = {.of = of, .sn = sn, .length = bytes, .address = address, .frame = std::move(frame)};
        ++used_;
    }
    /// By SN.
    std::vector<SlotIndex> drain(const TransferKey& of) {
        std::vector<SlotIndex> found;
        for (SlotIndex i = 0; i < kSlots; ++i) {
            if (!belongs(slots_[i], of, false)) continue;
            slots_[i].draining = true;
            found.push_back(i);
        }
        std::ranges::sort(found, {}, [this](SlotIndex i) { return slots_[i].sn; });
        return found;
    }
    void drop(const TransferKey& of) { free(of, false); }
    /// Of one transfer everything leaves at once.
    void left(const TransferKey& of) { free(of, true); }

    /// Eight bytes of its payload, the first in the lowest bits; zeros behind the last.
    [[nodiscard]] std::uint64_t word(SlotIndex slot, std::uint32_t at) const {
        std::uint64_t word = 0;
        const std::uint8_t* const payload = slots_.at(slot).frame->client_data().data() + kDrpHeaderBytes;
        std::memcpy(&word, payload + at, std::min(8U, bytes(slot) - at));
        return word;
    }

  private:
    using Slot = IndirectBufferEngine::Slot;

    static bool belongs(const Slot& slot, const TransferKey& of, bool draining) {
        return slot.length != 0 && slot.of == of && slot.draining == draining;
    }
    void free(const TransferKey& of, bool draining) {
        for (Slot& slot : slots_) {
            if (!belongs(slot, of, draining)) continue;
            slot = {};
            --used_;
        }
    }

    std::array<Slot, kSlots> slots_{};
    std::uint32_t used_ = 0;
};

}  // namespace rnicsim
