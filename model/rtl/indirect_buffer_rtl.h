// SPDX-License-Identifier: Apache-2.0
// The indirect buffer in Verilog, memory included, behind IndirectBufferEngine. What has been kept says what is on its
// ports in each cycle.
#pragma once

#include "model/rnic/drp/config.h"
#include "model/rtl/clocked.h"
#include "model/rtl/contract.h"
#include "model/rtl/kept_frames.h"
#include "model/rtl/port_check.h"
#include "tlm/wakeup.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rnicsim {

template <typename Buffer>
class IndirectBufferRtl final : public IndirectBufferEngine {
  public:
    IndirectBufferRtl(const TransportConfig& config, const char* module, const BlockPlace& place)
        : rtl_("indirect_buffer", place), check_("indirect_buffer", module, place) {
        const std::uint32_t words = (config.segment + 7) / 8;
        rtl_->cfg_slot_words_i = words;
        rtl_->cfg_slots_i = config.method == Method::dynamic ? config.indirect_buffer / (8 * words) : 0;
        found_.reserve(slots_.size());
        rtl_.settle();
    }

    [[nodiscard]] bool full() const override { return rtl_->full_o != 0; }
    [[nodiscard]] std::uint32_t used() const override { return rtl_->used_o; }
    [[nodiscard]] std::uint32_t used_by(Peer /*the only one*/) const override { return used(); }
    [[nodiscard]] const Slot& slot(SlotIndex index) const override { return slots_[index]; }

    void keep(const TransferKey& of, Sn sn, std::uint64_t address, std::uint32_t bytes, FrameRef frame) override {
        begin();
        rtl_->keep_i = 1;
        rtl_->keep_tid_i = raw(of.tid);
        rtl_->keep_sn_i = sn.n;
        rtl_->keep_address_i = address;
        rtl_->keep_bytes_i = bytes;
        rtl_.settle();
        rtl_->write_slot_i = rtl_->keep_slot_o;
        if (check_.strict()) {
            if (rtl_->keep_slot_o >= rtl_->cfg_slots_i || kept_.holds(rtl_->keep_slot_o)) {
                check_.fault(now_, "keep_slot_o", "slot " + std::to_string(rtl_->keep_slot_o) + " is not free");
            }
            kept_.keep(rtl_->keep_slot_o, of, sn, address, bytes, frame);
        }
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

    const std::vector<SlotIndex>& drain(const TransferKey& of) override {
        begin();
        rtl_->tid_i = rtl_->walk_tid_i = raw(of.tid);
        rtl_->mark_i = 1;
        tick();
        rtl_->mark_i = 0;
        rtl_->walk_i = 1;
        tick();
        rtl_->walk_i = 0;
        found_.clear();
        rtl_->piece_ready_i = 1;
        rtl_.settle();
        const std::vector<SlotIndex> expected = kept_.drain(of);
        look_at_piece(expected);
        while (rtl_->piece_valid_o != 0) {
            const SlotIndex index = rtl_->piece_slot_o;
            if (found_.size() == slots_.size()) check_.fault(now_, "piece_valid_o", "more pieces than slots");
            found_.push_back(index);
            slots_[index].of = of;
            slots_[index].address = rtl_->piece_address_o;
            slots_[index].length = rtl_->piece_bytes_o;
            slots_[index].draining = true;
            tick();
            look_at_piece(expected);
        }
        rtl_->piece_ready_i = 0;
        for (const SlotIndex index : found_) fetch(index);
        return found_;
    }

    void drop(const TransferKey& of) override {
        begin();
        rtl_->tid_i = raw(of.tid);
        rtl_->drop_i = 1;
        kept_.drop(of);
        tick();
        rtl_->drop_i = 0;
        rtl_.settle();
    }

    /// All slots of one drain leave together: the first one frees them in the hardware.
    void left(SlotIndex slot) override {
        if (!slots_[slot].draining) return;
        const TransferKey of = slots_[slot].of;
        for (Slot& other : slots_) {
            if (other.of == of) other.draining = false;
        }
        begin();
        rtl_->left_tid_i = raw(of.tid);
        rtl_->left_i = 1;
        kept_.left(of);
        tick();
        rtl_->left_i = 0;
        rtl_.settle();
    }

  private:
    static constexpr std::size_t kSlots = rtl_contract::kIndirectSlots;
    static constexpr std::size_t kLargestSegment = 1472;

    /// A burst, which may take longer than the time until the next one: waveforms then show that one late.
    void begin() {
        now_ = std::max(now_, kGmiiClock.cycle(current_time()));
        rtl_.pass(now_, [this](Cycle idle) {
            look(idle);
            check_.expect(idle, "piece_valid_o", rtl_->piece_valid_o, 0, "nobody has asked for slots");
        });
    }
    void tick() {
        rtl_.settle();
        rtl_.tick();
        now_ += Cycle{1};
        look(now_);
    }
    void look(Cycle now) const {
        check_.expect(now, "used_o", rtl_->used_o, kept_.used(), "slots in use, counted from the next cycle on");
        check_.expect(now, "full_o", rtl_->full_o, kept_.used() >= rtl_->cfg_slots_i, "no slot is free");
    }
    /// The next of those expected, or that there is none.
    void look_at_piece(const std::vector<SlotIndex>& expected) const {
        const std::size_t place = found_.size();
        check_.expect(now_, "piece_valid_o", rtl_->piece_valid_o, place < expected.size(),
                      "what was marked, a slot a cycle from the one after walk_i on");
        if (!check_.strict() || place >= expected.size()) return;
        const SlotIndex slot = expected[place];
        constexpr const char* kPromise = "what was kept, by SN";
        check_.expect(now_, "piece_slot_o", rtl_->piece_slot_o, slot, kPromise);
        check_.expect(now_, "piece_address_o", rtl_->piece_address_o, kept_.address(slot), kPromise);
        check_.expect(now_, "piece_bytes_o", rtl_->piece_bytes_o, kept_.bytes(slot), kPromise);
        check_.expect(now_, "piece_last_o", rtl_->piece_last_o, place + 1 == expected.size(), "with the last one");
    }

    /// The payload of a slot, out of the memory.
    void fetch(SlotIndex index) {
        rtl_->read_slot_i = index;
        std::array<std::uint8_t, kLargestSegment>& payload = payload_[index];
        for (std::uint32_t at = 0; at < slots_[index].length; at += 8) {
            rtl_->read_word_i = at / 8;
            tick();
            const std::uint64_t word = rtl_->read_data_o;
            if (check_.strict()) {
                check_.expect(now_, "read_data_o", word, kept_.word(index, at), "what was written of it");
            }
            std::memcpy(payload.data() + at, &word, sizeof word);
        }
        slots_[index].data = payload.data();
    }

    mutable Clocked<Buffer> rtl_;
    std::array<Slot, kSlots> slots_{};
    std::array<std::array<std::uint8_t, kLargestSegment>, kSlots> payload_{};
    std::vector<SlotIndex> found_;
    PortCheck check_;
    KeptFrames<kSlots> kept_;  // by a strict one only
    Cycle now_;                // that the ports show
};

}  // namespace rnicsim
