// SPDX-License-Identifier: Apache-2.0
// The program that takes what comes through a ring, and has it begin anew when its link was down. A value.
#pragma once

#include "testbench/applications/nts/ring_program.h"

#include <cstdint>
#include <vector>

namespace rnicsim::nts {

class RingReceiver {
  public:
    /// What it knows besides its host's memory.
    struct Signals {
        bool rung = false;  ///< its doorbell's bit
        Link link = Link::up;
        bool streamed = false;  ///< the next message has come by the stream
    };

    /// `program` outlives it.
    explicit RingReceiver(const RingProgram& program);
    /// `own`: RingShape::bytes() of its host's memory.
    [[nodiscard]] Instruction next(Memory own, const Signals& signals) const;
    /// It has done that. `loaded`: what a load has found.
    void done(const Instruction& what, std::uint64_t loaded, Memory own);
    /// The ring is lost, what was taken is not: it begins again behind that.
    void begin_anew();
    [[nodiscard]] bool begins_anew() const { return anew_ != Anew::no; }
    /// Slots, messages that it has taken.
    [[nodiscard]] std::uint64_t read() const { return read_; }
    [[nodiscard]] std::uint64_t taken() const { return taken_; }
    /// Of the message that it looks for.
    [[nodiscard]] std::uint32_t header_at() const { return program_->shape.slot_at(program_->rules, read_); }
    [[nodiscard]] std::uint64_t header(Memory own) const { return word_at(own, header_at()); }
    void state(std::vector<std::uint64_t>& words) const;

  private:
    [[nodiscard]] bool finds(Memory own) const;
    void clear_and_say_up();
    void take(Memory own);
    void hear(std::uint64_t answer);
    [[nodiscard]] bool pushes(bool asked) const;

    const RingProgram* program_;
    std::uint64_t read_ = 0, taken_ = 0;
    std::uint64_t told_ = 0;    // of read_ the sender has been told
    std::uint64_t loaded_ = 0;  // the writer's index
    bool awake_ = false, looked_ = false;
    enum class Anew : std::uint8_t { no, asks, waits, drains, clears } anew_ = Anew::no;
    std::uint32_t asked_ = 0;        // its questions
    std::uint64_t streamed_ = 0;     // drains: so many messages come by the stream
    bool told_sender_ = false;       // to use the stream, since the last question
    std::vector<Instruction> todo_;  // the last one first
};

}  // namespace rnicsim::nts
