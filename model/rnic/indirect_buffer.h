// Bookkeeping of the indirect buffer: fixed slots of one segment each, keyed by TID and SN (protocol.md section 6).
// The payload itself stays in the frame that brought it; the module around keeps a handle for each slot.
#pragma once

#include "tlm/units.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim {

class IndirectBuffer {
  public:
    using SlotIndex = std::uint32_t;

    struct Slot {
        Tid tid{};
        Sn sn;
        std::uint32_t length = 0;   ///< payload bytes; 0 = free
        std::uint64_t address = 0;  ///< where the frame wants to go
        bool draining = false;      ///< on its way to memory
    };

    /// `capacity_bytes / segment` slots (0 = no buffer: the traditional RNIC).
    IndirectBuffer(std::uint32_t capacity_bytes, std::uint32_t segment);

    /// Takes the first free slot, or none when the buffer is full.
    std::optional<SlotIndex> store(Tid tid, Sn sn, std::uint32_t length, std::uint64_t address);

    /// Slots of a transfer that are not draining yet, by SN. Valid until the next call.
    const std::vector<SlotIndex>& slots_of(Tid tid);

    void mark_draining(SlotIndex slot) { slots_[slot].draining = true; }
    void release(SlotIndex slot);

    [[nodiscard]] const Slot& slot(SlotIndex index) const { return slots_[index]; }
    [[nodiscard]] std::uint32_t used() const { return used_; }
    [[nodiscard]] std::uint32_t high_water() const { return high_water_; }
    [[nodiscard]] std::uint32_t slot_count() const { return static_cast<std::uint32_t>(slots_.size()); }

  private:
    std::vector<Slot> slots_;
    std::vector<SlotIndex> found_;
    std::uint32_t used_ = 0;
    std::uint32_t high_water_ = 0;
};

}  // namespace rnicsim
