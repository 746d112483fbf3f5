// SPDX-License-Identifier: Apache-2.0
// Two cores, their write-combining buffers and the bridge between them, without time: a buffer may leave at any time,
// in pieces in any order, and what has left comes to the other host's memory in order. A value: copies go their own
// way.
#pragma once

#include "model/host/cpu/write_combining.h"
#include "model/ntb/window.h"
#include "testbench/applications/nts/ring_receiver.h"
#include "testbench/applications/nts/ring_sender.h"
#include "testbench/explore/mixer.h"
#include "testbench/explore/ntb/ring_plan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim::explore {

/// What happens next, at a side: 0, which sends, or 1, which receives.
enum class RingStep : std::uint8_t {
    core,        ///< its core's next instruction
    evict,       ///< a piece of a buffer leaves its core
    arrive,      ///< what has left it first comes to the other side
    completion,  ///< the answer to its load comes ahead of what left before it
    stream,      ///< what it has sent by the stream first comes to the other side
    up,          ///< the link; what reaches the bridge before is lost
    down,        ///< a fault
    reset,       ///< a fault: the receiver begins anew
    nothing      ///< can happen any more
};

struct RingMove {
    RingStep step{};
    std::uint8_t side = 0;
    std::uint8_t buffer = 0, piece = 0;  ///< evict
};

/// What is explored.
struct RingSetting {
    RingPlan plan;
    WriteCombining::Config buffers;
    bool holds = false;    ///< a buffer leaves only when it has to
    bool relaxed = false;  ///< completions may pass writes (relaxed ordering)
    // At most, at any time.
    std::uint8_t downs = 0;   ///< of the link
    std::uint8_t resets = 0;  ///< of the receiver
};

/// What happens, in words: where, from left to right.
struct RingLine {
    unsigned side = 0;
    enum class Place : std::uint8_t { core, buffers, bridge, lost, link, stream } place{};
    std::string text;
};

class RingWorld {
  public:
    /// `setting` outlives all copies. `told`: what happens is added to it; not owned, may be nullptr, and copies have
    /// none.
    explicit RingWorld(const RingSetting& setting, std::vector<RingLine>* told = nullptr);
    RingWorld(const RingWorld& other)
        : setting_(other.setting_),
          sides_(other.sides_),
          sender_(other.sender_),
          receiver_(other.receiver_),
          stored_(other.stored_),
          downs_(other.downs_),
          resets_(other.resets_),
          is_up_(other.is_up_),
          was_down_(other.was_down_),
          broken_(other.broken_) {}
    RingWorld& operator=(const RingWorld& other);
    ~RingWorld() = default;

    /// False: it cannot be next.
    bool apply(const RingMove& move);
    [[nodiscard]] bool over() const;
    /// The rule that is broken; empty: none is.
    [[nodiscard]] const std::string& broken() const { return broken_; }
    [[nodiscard]] Digest state() const;
    /// Of a side's core.
    [[nodiscard]] const WriteCombining& buffers(unsigned side) const { return sides_.at(side).buffers; }

  private:
    /// On its way to the other side.
    struct Item {
        enum class What : std::uint8_t { piece, load, doorbell, completion } what{};
        WriteCombining::Piece piece{};  ///< its address, or a load's, is the window's
        std::uint64_t word = 0;         ///< of a completion
    };
    struct Side {
        explicit Side(const WriteCombining::Config& config) : buffers(config) {}
        WriteCombining buffers;
        std::deque<Item> sent;
        std::vector<std::uint8_t> memory;
        std::optional<std::uint64_t> loaded;
        bool waits = false;                           ///< for the answer to a load
        bool rung = false;                            ///< its doorbell's bit
        std::deque<std::uint64_t> streams, streamed;  ///< words, messages: on their way to the other side, come from it
    };

    [[nodiscard]] nts::Instruction next(unsigned side) const;
    [[nodiscard]] nts::RingSender::Sees seen() const;
    [[nodiscard]] const nts::Message* message() const { return setting_->plan.message(sender_.message()); }
    [[nodiscard]] std::uint64_t begun() const;
    bool core(unsigned side);
    void done(unsigned side, const nts::Instruction& what);
    enum class Stored : std::uint8_t { waits, in_part, done };
    Stored store(unsigned side, const nts::Instruction& what);
    bool store_part(unsigned side, std::uint64_t address, const std::uint8_t* bytes, std::uint32_t count);
    bool evict(unsigned side, std::uint32_t buffer, std::uint32_t piece);
    bool arrive(unsigned side);
    bool flow(unsigned side);
    void check_accept();
    void lose(unsigned side, const Item& item);
    void deliver(unsigned side, const Item& item);
    bool change_link(bool up);
    bool reset();
    bool complete_ahead(unsigned side);
    [[nodiscard]] bool has_to_evict(unsigned side) const;
    void leave(unsigned side, std::uint32_t buffer, std::uint32_t piece);
    void check_store(const nts::Instruction& what);
    void check_take();
    void check_indices();
    template <typename Text>
    void say(unsigned side, RingLine::Place place, const Text& text) {
        if (told_ != nullptr) told_->push_back({side, place, text()});
    }
    void breaks(std::string_view rule) {
        if (broken_.empty()) broken_ = rule;
    }

    const RingSetting* setting_ = nullptr;
    std::vector<Side> sides_;
    nts::RingSender sender_;
    nts::RingReceiver receiver_;
    std::uint32_t stored_ = 0;              // bytes of the sender's copy or store that are done
    std::uint8_t downs_ = 0, resets_ = 0;   // that may still be
    bool is_up_ = true, was_down_ = false;  // the link; until the receiver has seen it
    std::string broken_;
    std::vector<RingLine>* told_ = nullptr;  // not owned
};

[[nodiscard]] inline Digest digest(const RingWorld& world) { return world.state(); }

/// From somewhere no way leads to the end.
inline constexpr std::string_view kNeverComes = "NI3: a message never comes";

/// All that can be next.
class RingMoves {
  public:
    template <typename Reached>
    void each(const RingWorld& world, RingWorld& scratch, const Reached& reached) {
        bool moved = false;
        const auto goes_on = [&](const RingMove& move) {
            scratch = world;
            if (!scratch.apply(move)) return true;
            moved = true;
            return reached(move, false, scratch.broken());
        };
        const auto fails = [&](const RingMove& move) {
            scratch = world;
            return !scratch.apply(move) || reached(move, true, scratch.broken());
        };
        for (std::uint8_t side = 0; side < 2; ++side) {
            for (const RingStep step : {RingStep::core, RingStep::arrive, RingStep::completion, RingStep::stream})
                if (!goes_on({step, side})) return;
            const WriteCombining& buffers = world.buffers(side);
            for (std::size_t i = 0; i < buffers.buffers().size(); ++i)
                for (std::uint32_t piece = 0; piece < buffers.pieces(i); ++piece)
                    if (!goes_on(
                            {RingStep::evict, side, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(piece)}))
                        return;
        }
        if (!goes_on({RingStep::up})) return;
        if (!moved && !world.over() && !reached({RingStep::nothing}, false, std::string(kNeverComes))) return;
        if (fails({RingStep::down})) fails({RingStep::reset});
    }
    void entered(const RingWorld& /*world*/) {}
};

}  // namespace rnicsim::explore
