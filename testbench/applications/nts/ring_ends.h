// SPDX-License-Identifier: Apache-2.0
// The two programs of a ring, an instruction at a time: what the core does next, by what it knows and what its own
// host's memory has. They neither wait nor know of time.
#pragma once

#include "testbench/applications/nts/ring.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::nts {

struct Instruction {
    enum class What : std::uint8_t {
        rest,      ///< nothing, until its own memory or its doorbell says something else
        store,     ///< of a word to the other host's memory, write-combining
        fence,     ///< all stores before it leave the core before it ends
        load,      ///< of a word of the other host's memory
        write,     ///< of a word to its own host's memory
        doorbell,  ///< an uncached store, which sets the other host's bit; as a fence
        take,      ///< of the next message: the user has it
        clear,     ///< its doorbell's bit
        wake,      ///< it has seen the bit
        sleep,     ///< it has found nothing
        see,       ///< that its link was down: clears what says so
        say,       ///< a word to the other host's scratchpad, uncached; as a fence
        hear       ///< what its own says, which is empty then
    } what = What::rest;
    std::uint32_t at = 0;  ///< a place
    std::uint64_t word = 0;
};

/// What a ring's two ends say to each other, with a number, when the ring begins anew.
enum class Said : std::uint8_t {
    nothing,
    going_down,  ///< by the owner: stop; its question's number
    stopped,     ///< the answer, behind all that was stored: that number
    up           ///< the ring is clear: the number of messages that were taken
};
constexpr std::uint64_t word_of(Said what, std::uint32_t number) {
    return std::uint64_t{number} << 2U | static_cast<std::uint64_t>(what);
}
constexpr Said said_in(std::uint64_t word) { return static_cast<Said>(word & 3U); }
constexpr std::uint32_t number_in(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 2U); }

enum class Link : std::uint8_t {
    up,
    down,
    back  ///< it was down since somebody last looked
};

/// What a host knows besides its memory.
struct Signals {
    bool rung = false;  ///< its doorbell's bit
    Link link = Link::up;
    std::uint64_t heard = 0;  ///< its scratchpad: what was said last; 0: nothing
};

/// What a load finds where nobody answers.
inline constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

/// What is sent through which ring.
struct RingPlan {
    RingPlan(const RingShape& shape, const RingRules& rules, std::vector<std::uint32_t> words);
    RingShape shape;
    RingRules rules;
    std::vector<std::uint32_t> words;  ///< of the payloads of the messages
    std::vector<std::uint32_t> first;  ///< their first slots, counted from the beginning
    std::vector<std::vector<Op>> ops;  ///< by message
    /// The first slot of a message; of the one behind the last: that behind all of them.
    [[nodiscard]] std::uint32_t slot_of(std::uint32_t message) const {
        return message < first.size() ? first[message] : first.back() + shape.slots_of(words.back());
    }
};

using Memory = std::span<const std::uint8_t>;
[[nodiscard]] std::uint64_t word_at(Memory memory, std::uint32_t at);

class RingSender {
  public:
    /// `plan` outlives it.
    explicit RingSender(const RingPlan& plan) : plan_(&plan) {}
    [[nodiscard]] Instruction next(Memory own, const Signals& signals) const;
    /// It has done that. `loaded`: what a load has found.
    void done(const Instruction& what, std::uint64_t loaded);
    /// Has stored all messages, and has nothing left to do.
    [[nodiscard]] bool is_over(Memory own) const;
    /// Slots that it has begun to fill, counted from the beginning.
    [[nodiscard]] std::uint32_t begun() const;
    /// How far the receiver has read, as it knows.
    [[nodiscard]] std::uint64_t reader(Memory own) const;
    void state(std::vector<std::uint64_t>& words) const;

  private:
    [[nodiscard]] bool has_room(Memory own) const;
    [[nodiscard]] Instruction instruction_of(const Op& op, Memory own) const;
    void hear(std::uint64_t word);
    [[nodiscard]] bool has_all() const { return message_ == plan_->words.size(); }
    [[nodiscard]] std::uint32_t slots() const { return plan_->shape.slots_of(plan_->words[message_]); }

    const RingPlan* plan_;
    std::uint32_t message_ = 0, op_ = 0;
    std::uint64_t loaded_ = 0;       // the reader's index
    bool dirty_ = false;             // it has stored, and not fenced since
    bool stopped_ = false;           // until it hears Up
    std::vector<Instruction> todo_;  // the last one first
};

class RingReceiver {
  public:
    /// `plan` outlives it.
    explicit RingReceiver(const RingPlan& plan);
    [[nodiscard]] Instruction next(Memory own, const Signals& signals) const;
    void done(const Instruction& what, std::uint64_t loaded, Memory own);
    /// The ring is lost, what was taken is not: it begins again behind that.
    void begin_anew();
    [[nodiscard]] bool has_all() const;
    [[nodiscard]] bool begins_anew() const { return anew_; }
    /// Slots, messages that it has taken.
    [[nodiscard]] std::uint32_t read() const { return read_; }
    [[nodiscard]] std::uint32_t taken() const { return taken_; }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    [[nodiscard]] bool finds(Memory own) const;
    [[nodiscard]] std::vector<Instruction> clear_and_up() const;
    [[nodiscard]] std::uint64_t header(Memory own, std::uint32_t number) const;
    void take(Memory own);

    const RingPlan* plan_;
    std::uint32_t read_ = 0, taken_ = 0;
    std::uint64_t loaded_ = 0;  // the writer's index
    bool awake_ = false, looked_ = false;
    bool anew_ = false, waits_ = false;  // until it has said Up; for an answer
    std::uint32_t asked_ = 0;            // its questions
    std::vector<Instruction> todo_;      // the last one first
};

}  // namespace rnicsim::nts
