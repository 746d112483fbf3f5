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
    DmaRtl(const PcieConfig& config, const char* module, bool strict)
        : config_(config), check_("dma_engine", module, strict) {
        const Cycle overhead = config.request_overhead;
        if (overhead < rtl_contract::kDmaLeastOverhead || overhead > rtl_contract::kDmaMostOverhead) {
            fault("it has no request_overhead of " + std::to_string(overhead.n) + " cycles");
        }
        engine_->cfg_max_payload_log2_i = static_cast<std::uint8_t>(std::countr_zero(config.max_payload));
        engine_->cfg_max_read_request_log2_i = static_cast<std::uint8_t>(std::countr_zero(config.max_read_request));
        engine_->cfg_request_overhead_i = static_cast<std::uint8_t>(overhead.n);
    }

    Cycle issue(Cycle at, Direction direction, std::span<Piece> pieces) override {
        if (pieces.empty()) fault("a request without pieces");
        for (Piece& piece : pieces) {
            if (piece.bytes > rtl_contract::kDmaMostPieceBytes) fault("a piece that is too long");
            piece.count = {};
        }
        now_ = std::max(now_, at);
        engine_.pass(now_, [this](Cycle idle) { look_at_idle(idle); });
        Patience patience(check_.name(), "a request does not end");
        const Cycle due = now_ + config_.request_overhead;
        Progress progress{direction, pieces};
        hand_over(progress);
        Cycle first = kNever;
        while (progress.place != pieces.size()) {
            if (engine_->request_ready_o || engine_->idle_o) fault("the next request may come before the last TLP");
            offer_piece(progress);
            check_.expect(now_, "tlp_valid_o", engine_->tlp_valid_o, now_ >= due,
                          "the first TLP request_overhead after its request, then one a cycle");
            if (engine_->tlp_valid_o) {
                take_tlp(progress);
                if (first == kNever) first = now_;
            } else if (first != kNever) {
                fault("a hole in a request");
            }
            tick();
            patience.tick();
        }
        engine_->request_valid_i = 0;
        engine_->piece_valid_i = 0;
        engine_.settle();
        check_.expect(now_, "request_ready_o", engine_->request_ready_o, 1, "again the cycle after the last TLP");
        while (!engine_->request_ready_o) {
            tick();
            patience.tick();
        }
        if (engine_->tlp_valid_o || !engine_->idle_o) fault("something is left of a request that has ended");
        return first;
    }

  private:
    void look_at_idle(Cycle now) const {
        constexpr const char* kPromise = "nothing is in hand";
        check_.expect(now, "request_ready_o", engine_->request_ready_o, 1, kPromise);
        check_.expect(now, "tlp_valid_o", engine_->tlp_valid_o, 0, kPromise);
        check_.expect(now, "idle_o", engine_->idle_o, 1, kPromise);
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
        if (!engine_->request_ready_o) fault("not ready for a request that may be handed over");
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
        const std::uint64_t address = engine_->tlp_address_o;
        const std::uint32_t bytes = engine_->tlp_bytes_o;
        if ((engine_->tlp_write_o != 0) != write || address != piece.address + progress.done || bytes == 0 ||
            bytes > piece.bytes - progress.done) {
            fault("a TLP that is not the next of its request");
        }
        if (address / limit != (address + bytes - 1) / limit) fault("a TLP across a multiple of its limit");
        const bool first = progress.place == 0 && progress.done == 0;
        progress.done += bytes;
        const bool piece_last = progress.done == piece.bytes;
        const bool last = piece_last && progress.place + 1 == progress.pieces.size();
        if ((engine_->tlp_first_o != 0) != first || (engine_->tlp_piece_last_o != 0) != piece_last ||
            (engine_->tlp_last_o != 0) != last) {
            fault("a TLP with a wrong mark of its place in the request");
        }
        piece.count += {1, write ? memory_write_link_bytes(address, bytes) : memory_read_link_bytes(address)};
        if (!piece_last) return;
        ++progress.place;
        progress.done = 0;
    }

    void tick() {
        engine_.tick();
        now_ += Cycle{1};
    }

    [[noreturn]] void fault(const std::string& what) const { throw RtlFault(check_.name() + ": " + what); }

    const PcieConfig config_;
    mutable Clocked<Module> engine_{"dma_engine"};
    PortCheck check_;
    Cycle now_;  // the first cycle in which it could take a request
};

}  // namespace rnicsim
