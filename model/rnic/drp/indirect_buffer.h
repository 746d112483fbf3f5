// SPDX-License-Identifier: Apache-2.0
// The indirect buffer: early data of writes, in fixed slots of one segment each, keyed by transfer and SN
// (PROTOCOL.md 6.3 to 6.5).
#pragma once

#include "model/transfer_key.h"
#include "tlm/drp/ids.h"
#include "tlm/ethernet/frame.h"

#include <cstdint>
#include <vector>

namespace rnicsim {

/// Keeps the early data: the model's bookkeeping, or Verilog and its memory.
class IndirectBufferEngine {
  public:
    virtual ~IndirectBufferEngine() = default;

    using SlotIndex = std::uint32_t;
    struct Slot {
        TransferKey of;
        Sn sn;
        std::uint32_t length = 0;            ///< payload bytes; 0 = free
        std::uint64_t address = 0;           ///< destination in host memory
        const std::uint8_t* data = nullptr;  ///< the payload, from drain() until left()
        FrameRef frame;                      ///< keeps `data` alive, if needed
        bool draining = false;               ///< in flight to memory
    };

    [[nodiscard]] virtual bool full() const = 0;
    /// Keeps the payload of `frame`, a data frame. Precondition: not full, bytes > 0.
    virtual void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes, FrameRef frame) = 0;
    /// Starts to drain all slots of a transfer that are not draining yet, by SN. The result is valid until the next
    /// call.
    virtual const std::vector<SlotIndex>& drain(const TransferKey& of) = 0;
    /// Frees the slots of a transfer that are not draining.
    virtual void drop(const TransferKey& of) = 0;
    /// The payload of a draining slot has left: it is free.
    virtual void left(SlotIndex slot) = 0;

    [[nodiscard]] virtual const Slot& slot(SlotIndex index) const = 0;
    [[nodiscard]] virtual std::uint32_t used() const = 0;
    /// Slots with data of this peer.
    [[nodiscard]] virtual std::uint32_t used_by(Peer peer) const = 0;
};

class IndirectBuffer final : public IndirectBufferEngine {
  public:
    /// As many slots as fit; a slot is a segment in words of 8 bytes, the width of the memory. 0 bytes: no buffer.
    IndirectBuffer(std::uint32_t capacity_bytes, std::uint32_t segment);

    [[nodiscard]] bool full() const override { return used_ == slots_.size(); }
    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes, FrameRef frame) override;
    const std::vector<SlotIndex>& drain(const TransferKey& of) override;
    void drop(const TransferKey& of) override;
    void left(SlotIndex slot) override;

    [[nodiscard]] const Slot& slot(SlotIndex index) const override { return slots_[index]; }
    [[nodiscard]] std::uint32_t used() const override { return used_; }
    [[nodiscard]] std::uint32_t used_by(Peer peer) const override {
        return raw(peer) < used_by_.size() ? used_by_[raw(peer)] : 0;
    }
    [[nodiscard]] std::uint32_t slot_count() const { return static_cast<std::uint32_t>(slots_.size()); }

  private:
    void find(const TransferKey& of);

    std::vector<Slot> slots_;
    std::vector<SlotIndex> found_;
    std::uint32_t used_ = 0;
    std::vector<std::uint32_t> used_by_;  // by peer, as far as there was one
};

}  // namespace rnicsim
