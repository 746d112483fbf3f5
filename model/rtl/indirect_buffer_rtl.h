// The indirect buffer in Verilog, memory included, behind IndirectBufferEngine.
#pragma once

#include "model/rnic/config.h"
#include "model/rtl/clocked.h"
#include "model/rtl/contract.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rnicsim {

template <typename Buffer>
class IndirectBufferRtl final : public IndirectBufferEngine {
  public:
    explicit IndirectBufferRtl(const TransportConfig& config) {
        const std::uint32_t words = (config.segment + 7) / 8;
        rtl_->cfg_slot_words_i = words;
        rtl_->cfg_slots_i = config.method == Method::dynamic ? config.indirect_buffer / (8 * words) : 0;
        found_.reserve(slots_.size());
        rtl_.settle();
    }

    [[nodiscard]] bool full() const override { return rtl_->full_o != 0; }
    [[nodiscard]] std::uint32_t used() const override { return rtl_->used_o; }
    [[nodiscard]] const Slot& slot(SlotIndex index) const override { return slots_[index]; }

    void keep(Tid tid, Sn sn, std::uint64_t address, std::uint32_t bytes, FrameRef frame) override {
        begin();
        rtl_->keep_i = 1;
        rtl_->keep_tid_i = raw(tid);
        rtl_->keep_sn_i = sn.n;
        rtl_->keep_address_i = address;
        rtl_->keep_bytes_i = bytes;
        rtl_.settle();
        rtl_->write_slot_i = rtl_->keep_slot_o;
        tick();
        rtl_->keep_i = 0;
        const std::uint8_t* const payload = frame->client_data().data() + kDrpHeaderBytes;
        rtl_->write_i = 1;
        for (std::uint32_t at = 0; at < bytes; at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, payload + at, std::min(8U, bytes - at));
            rtl_->write_word_i = at / 8;
            rtl_->write_data_i = word;
            tick();
        }
        rtl_->write_i = 0;
        rtl_.settle();
    }

    const std::vector<SlotIndex>& drain(Tid tid) override {
        begin();
        rtl_->tid_i = rtl_->walk_tid_i = raw(tid);
        rtl_->mark_i = 1;
        tick();
        rtl_->mark_i = 0;
        rtl_->walk_i = 1;
        tick();
        rtl_->walk_i = 0;
        found_.clear();
        rtl_->piece_ready_i = 1;
        rtl_.settle();
        while (rtl_->piece_valid_o != 0) {
            const SlotIndex index = rtl_->piece_slot_o;
            if (found_.size() == slots_.size()) throw RtlFault("indirect_buffer (Verilog): more pieces than slots");
            found_.push_back(index);
            slots_[index].tid = tid;
            slots_[index].address = rtl_->piece_address_o;
            slots_[index].length = rtl_->piece_bytes_o;
            slots_[index].draining = true;
            tick();
        }
        rtl_->piece_ready_i = 0;
        for (const SlotIndex index : found_) fetch(index);
        return found_;
    }

    void drop(Tid tid) override {
        begin();
        rtl_->tid_i = raw(tid);
        rtl_->drop_i = 1;
        tick();
        rtl_->drop_i = 0;
        rtl_.settle();
    }

    /// All slots of one drain leave together: the first one frees them in the hardware.
    void left(SlotIndex slot) override {
        if (!slots_[slot].draining) return;
        const Tid tid = slots_[slot].tid;
        for (Slot& other : slots_) {
            if (other.tid == tid) other.draining = false;
        }
        begin();
        rtl_->left_tid_i = raw(tid);
        rtl_->left_i = 1;
        tick();
        rtl_->left_i = 0;
        rtl_.settle();
    }

  private:
    static constexpr std::size_t kSlots = rtl_contract::kIndirectSlots;
    static constexpr std::size_t kLargestSegment = 1472;

    /// A burst, which may take longer than the time until the next one: waveforms then show that one late.
    void begin() {
        now_ = std::max(now_, current_cycle());
        rtl_.pass(now_, [](Cycle) {});
    }
    void tick() {
        rtl_.settle();
        rtl_.tick();
        now_ += Cycle{1};
    }

    /// The payload of a slot, out of the memory.
    void fetch(SlotIndex index) {
        rtl_->read_slot_i = index;
        std::array<std::uint8_t, kLargestSegment>& payload = payload_[index];
        for (std::uint32_t at = 0; at < slots_[index].length; at += 8) {
            rtl_->read_word_i = at / 8;
            tick();
            const std::uint64_t word = rtl_->read_data_o;
            std::memcpy(payload.data() + at, &word, sizeof word);
        }
        slots_[index].data = payload.data();
    }

    mutable Clocked<Buffer> rtl_{"indirect_buffer"};
    std::array<Slot, kSlots> slots_{};
    std::array<std::array<std::uint8_t, kLargestSegment>, kSlots> payload_{};
    std::vector<SlotIndex> found_;
    Cycle now_;  // that the ports show
};

}  // namespace rnicsim
