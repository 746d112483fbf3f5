// SPDX-License-Identifier: Apache-2.0
// The program that sends through a ring: a message after the other, as its rules have it. A value.
#pragma once

#include "testbench/applications/nts/ring_program.h"

#include <cstdint>
#include <vector>

namespace rnicsim::nts {

class RingSender {
  public:
    /// What its own host's memory says, and the stream.
    struct Sees {
        std::uint64_t reader = 0;  ///< at RingShape::reader_at(): how far the receiver has read, as it has told
        std::uint64_t asked = 0;   ///< at RingShape::asked_at()
        std::uint64_t told = 0;    ///< by the stream; 0: nothing
    };

    /// `program` outlives it.
    explicit RingSender(const RingProgram& program) : program_(&program) {}
    /// It begins without a link: the receiver says whether the stream is wanted, or that the ring is up.
    void begin_stopped() { stopped_ = true; }
    /// Which message it sends now, counted from the beginning: its user gives it that one, or nullptr if there is none
    /// yet. One that the receiver has not taken may be asked for again (RingRules::goes_back).
    [[nodiscard]] std::uint64_t message() const { return message_; }
    [[nodiscard]] Instruction next(const Sees& sees, const Message* message) const;
    /// It has done that. `loaded`: what a load has found.
    void done(const Instruction& what, std::uint64_t loaded, const Message* message);
    /// Has nothing to do, if there are no more messages, and waits for nobody.
    [[nodiscard]] bool is_over(const Sees& sees) const {
        return !stopped_ && next(sees, nullptr).what == Instruction::What::rest;
    }
    /// At the beginning of a message.
    [[nodiscard]] bool is_between() const { return step_ == 0 && piece_ == 0; }
    /// The first slot of that message; slots are counted from the beginning.
    [[nodiscard]] std::uint64_t slot() const { return slot_; }
    /// How far the receiver has read, as it knows.
    [[nodiscard]] std::uint64_t reader(const Sees& sees) const {
        return program_->shape.loads_reader() ? loaded_ : sees.reader;
    }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    [[nodiscard]] bool has_room(const Sees& sees, std::uint32_t slots) const;
    [[nodiscard]] Instruction instruction(const Sees& sees, const Message& message) const;
    void advance(const Message& message);
    void hear(std::uint64_t word);
    void heed(std::uint64_t word);

    const RingProgram* program_;
    std::uint64_t message_ = 0, slot_ = 0;
    std::uint32_t step_ = 0, piece_ = 0;  // of the message, of its payload
    std::uint64_t loaded_ = 0;            // the reader's index
    bool dirty_ = false;                  // it has stored, and not fenced since
    bool stopped_ = false;                // until it hears Up, or is told of the stream
    bool streams_ = false;                // its messages go there
    std::uint64_t streamed_ = 0;          // all before this message have been taken, or have gone there
    std::uint64_t question_ = 0;          // the number of the last one
    std::vector<Instruction> todo_;       // the last one first
};

}  // namespace rnicsim::nts
