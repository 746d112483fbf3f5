// SPDX-License-Identifier: Apache-2.0
// The DMA engine in Verilog behind DmaEngine: ticked from the cycle that takes a request until it may take the next.
#pragma once

#include "model/rtl/clocked.h"
#include "model/rtl/contract.h"
#include "model/rtl/port_check.h"

#include <algorithm>
#include <bit>
#include <string>

namespace rnicsim {

template <typename Module>
class DmaRtl final : public DmaEngine {
  public:
    DmaRtl(const PcieConfig& config, const char* module, const BlockPlace& place)
        : config_(config), engine_("dma_engine", place), check_("dma_engine", module, place) {
        const Cycle overhead = config.request_overhead;
        if (overhead < rtl_contract::kDmaLeastOverhead || overhead > rtl_contract::kDmaMostOverhead) {
            check_.fault({}, "cfg_request_overhead_i", "cannot be " + std::to_string(overhead.n) + " cycles");
        }
        engine_->cfg_max_payload_log2_i = static_cast<std::uint8_t>(std::countr_zero(config.max_payload));
        engine_->cfg_max_read_request_log2_i = static_cast<std::uint8_t>(std::countr_zero(config.max_read_request));
        engine_->cfg_request_overhead_i = static_cast<std::uint8_t>(overhead.n);
    }

    Cycle issue(Cycle at, Direction direction, std::span<Piece> pieces) override {
        if (pieces.empty()) check_.fault(at, "request_valid_i", "a request without pieces");
        for (Piece& piece : pieces) {
            if (piece.bytes > rtl_contract::kDmaMostPieceBytes) {
                check_.fault(at, "piece_bytes_i", "a piece of " + std::to_string(piece.bytes) + " bytes is too long");
            }
            piece.count = {};
        }
        now_ = std::max(now_, at);
        const Cycle due = now_ + config_.request_overhead;
        engine_.pass(now_, [this](Cycle idle) { look_at_idle(idle); });
        for (const Cycle held = now_ + held_up(); now_ < held; tick()) look_at_idle(now_);
        engine_->request_age_i = static_cast<std::uint8_t>(std::min<std::int64_t>((now_ - at).n, 255));
        Watchdog watchdog(check_, "tlp_last_o", "a request does not end");
        Progress progress{direction, pieces};
        hand_over(progress);
        Cycle first = kNever;
        while (progress.place != pieces.size()) {
            constexpr const char* kInHand = "a request is in hand until its last TLP";
            check_.require(now_, "request_ready_o", engine_->request_ready_o, 0, kInHand);
            check_.require(now_, "idle_o", engine_->idle_o, 0, kInHand);
            offer_piece(progress);
            check_.expect(now_, "tlp_valid_o", engine_->tlp_valid_o, now_ >= due,
                          "the first TLP request_overhead after its request, then one a cycle");
            if (engine_->tlp_valid_o) {
                take_tlp(progress);
                if (first == kNever) first = now_;
            } else if (first != kNever) {
                check_.fault(now_, "tlp_valid_o", "a hole in a request");
            }
            tick();
            watchdog.tick(now_);
        }
        engine_->request_valid_i = 0;
        engine_->piece_valid_i = 0;
        engine_.settle();
        check_.expect(now_, "request_ready_o", engine_->request_ready_o, 1, "again the cycle after the last TLP");
        while (!engine_->request_ready_o) {
            tick();
            watchdog.tick(now_);
        }
        constexpr const char* kEnded = "nothing is left of a request that has ended";
        check_.require(now_, "tlp_valid_o", engine_->tlp_valid_o, 0, kEnded);
        check_.require(now_, "idle_o", engine_->idle_o, 1, kEnded);
        return first;
    }

  private:
    void look_at_idle(Cycle now) const {
        constexpr const char* kPromise = "nothing is in hand";
        check_.expect(now, "request_ready_o", engine_->request_ready_o, 1, kPromise);
        check_.expect(now, "tlp_valid_o", engine_->tlp_valid_o, 0, kPromise);
        check_.expect(now, "idle_o", engine_->idle_o, 1, kPromise);
    }

    /// Cycles that a request is held up on its way, as queues before the engine may do: no TLP is later for it, as long
    /// as that is no longer than set-up takes. Only to see whether the engine takes request_age_i for set-up.
    Cycle held_up() {
        constexpr std::int64_t kEvery = 4;
        constexpr std::int64_t kLongest = 30;
        if (!check_.strict() || ++requests_ % kEvery != 0) return {};
        const Cycle most = config_.request_overhead - rtl_contract::kDmaLeastOverhead;
        return Cycle{requests_ / kEvery % (std::min(most.n, kLongest) + 1)};
    }

    struct Progress {
        Direction direction = Direction::write;
        std::span<Piece> pieces;
        std::size_t given = 0;   // pieces that the engine has
        std::size_t place = 0;   // the piece that TLPs come out of
        std::uint32_t done = 0;  // bytes of it that are out
    };

    /// request_valid_i stays: as if the next request waited.
    void hand_over(Progress& progress) {
        engine_->request_valid_i = 1;
        engine_->request_write_i = progress.direction == Direction::write;
        set_piece(progress);
        engine_.settle();
        check_.require(now_, "request_ready_o", engine_->request_ready_o, 1, "a request may be handed over");
        ++progress.given;
        tick();
        engine_->request_write_i = progress.direction != Direction::write;
    }

    void offer_piece(Progress& progress) {
        const bool more = progress.given != progress.pieces.size();
        engine_->piece_valid_i = more;
        if (more) set_piece(progress);
        engine_.settle();
        if (more && engine_->piece_ready_o) ++progress.given;
    }

    void set_piece(const Progress& progress) {
        const Piece& piece = progress.pieces[progress.given];
        engine_->piece_address_i = piece.address;
        engine_->piece_bytes_i = piece.bytes;
        engine_->piece_last_i = progress.given + 1 == progress.pieces.size();
    }

    /// The one on the ports has to be the next of the request.
    void take_tlp(Progress& progress) {
        const bool write = progress.direction == Direction::write;
        const std::uint64_t limit = write ? config_.max_payload : config_.max_read_request;
        Piece& piece = progress.pieces[progress.place];
        const std::uint64_t address = piece.address + progress.done;
        const std::uint64_t bytes = engine_->tlp_bytes_o;
        const std::uint64_t most = std::min<std::uint64_t>(piece.bytes - progress.done, limit - address % limit);
        constexpr const char* kCut = "up to the next multiple of the limit, or to the end of the piece";
        check_.require(now_, "tlp_write_o", engine_->tlp_write_o, write, "what request_write_i said");
        check_.require(now_, "tlp_address_o", engine_->tlp_address_o, address, "the next of the request");
        if (bytes == 0 || bytes > most) check_.require(now_, "tlp_bytes_o", bytes, most, kCut);
        check_.expect(now_, "tlp_bytes_o", bytes, most, kCut);
        const bool first = progress.place == 0 && progress.done == 0;
        progress.done += static_cast<std::uint32_t>(bytes);
        const bool piece_last = progress.done == piece.bytes;
        const bool last = piece_last && progress.place + 1 == progress.pieces.size();
        check_.require(now_, "tlp_first_o", engine_->tlp_first_o, first, "with the first TLP of the request");
        check_.require(now_, "tlp_piece_last_o", engine_->tlp_piece_last_o, piece_last, "with the last of the piece");
        check_.require(now_, "tlp_last_o", engine_->tlp_last_o, last, "with the last of the request");
        piece.count += {1, write ? memory_write_link_bytes(address, static_cast<std::uint32_t>(bytes))
                                 : memory_read_link_bytes(address)};
        if (!piece_last) return;
        ++progress.place;
        progress.done = 0;
    }

    void tick() {
        engine_.tick();
        now_ += Cycle{1};
    }

    const PcieConfig config_;
    mutable Clocked<Module> engine_;
    PortCheck check_;
    Cycle now_;  // the first cycle in which it could take a request
    std::int64_t requests_ = 0;
};

}  // namespace rnicsim
