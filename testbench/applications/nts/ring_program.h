// SPDX-License-Identifier: Apache-2.0
// The instructions of a ring's two programs, and the order in which the sender gives those of a message. Both programs
// run an instruction at a time: what is next follows from what they know and what their own host's memory has. They
// neither wait nor know of time: exploration runs them in every order, a run on the threads of its hosts.
#pragma once

#include "testbench/applications/link_state.h"
#include "testbench/applications/nts/ring.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rnicsim::nts {

struct Instruction {
    enum class What : std::uint8_t {
        rest,      ///< nothing, until its own memory or its doorbell says something else
        copy,      ///< of bytes of a message to the other host's memory, write-combining
        store,     ///< of a word, likewise
        fence,     ///< all stores before it leave the core before it ends
        load,      ///< of a word of the other host's memory
        write,     ///< of a word to its own host's memory
        doorbell,  ///< an uncached store, which sets the other host's bit; as a fence
        take,      ///< of the next message: the user has it
        clear,     ///< its doorbell's bit
        wake,      ///< it has seen the bit
        sleep,     ///< it has found nothing
        see,       ///< that its link was down: clears what says so
        hear,      ///< what the other end has said: takes the word from its own memory, at once
        send,      ///< a message, by the stream
        tell,      ///< a word, by the stream
        heed,      ///< a word that has come by the stream: takes it from there
        accept     ///< of the next message, which has come by the stream: the user has it
    } what = What::rest;
    std::uint32_t at = 0;     ///< a place
    std::uint64_t word = 0;   ///< store, write, hear, tell, heed
    std::uint64_t from = 0;   ///< copy: the first byte, as Message::from counts
    std::uint32_t bytes = 0;  ///< copy
};

/// What is sent through a ring.
struct Message {
    std::uint64_t from = 0;   ///< its first byte, wherever the user has it
    std::uint32_t bytes = 0;  ///< at least one
    std::uint16_t tag = 0;    ///< of the header
};

using Link = applications::LinkState;

/// What is the same for both ends, and never changes.
struct RingProgram {
    explicit RingProgram(const RingShape& shape, const RingRules& rules = {});

    /// The parts of what is stored for a message.
    enum class Step : std::uint8_t {
        first,    ///< the first header of a message of several slots
        payload,  ///< a copy into each slot
        fence,
        last,  ///< the header that is behind the payload, or the only one
        index,
        doorbell
    };
    [[nodiscard]] std::span<const Step> order(std::uint32_t slots) const { return orders_[slots > 1 ? 1 : 0]; }

    /// Slots that have bytes of a payload.
    [[nodiscard]] std::uint32_t pieces(std::uint32_t payload) const;
    /// What is copied into one of a message's slots; `slot`: its first one, counted from the beginning.
    [[nodiscard]] Instruction piece(const Message& message, std::uint64_t slot, std::uint32_t number) const;

    RingShape shape;
    RingRules rules;

  private:
    std::array<std::vector<Step>, 2> orders_;
};

/// The number next to `now` that is told so, modulo kSaidNumbers.
[[nodiscard]] constexpr std::uint64_t nearest(std::uint64_t now, std::uint64_t told) {
    constexpr std::uint64_t kHalf = kSaidNumbers / 2;
    return now + (told - now + kHalf) % kSaidNumbers - kHalf;
}

using Memory = std::span<const std::uint8_t>;
[[nodiscard]] std::uint64_t word_at(Memory memory, std::uint32_t at);

/// For states: places and words of what is still to do are small.
[[nodiscard]] constexpr std::uint64_t digest_of(const Instruction& of) {
    return of.word << 32U | std::uint64_t{of.at} << 8U | static_cast<std::uint64_t>(of.what);
}

/// To the other end, behind all that was stored before. The last one first.
[[nodiscard]] inline std::array<Instruction, 3> says(std::uint32_t at, std::uint64_t word) {
    using What = Instruction::What;
    return {Instruction{What::fence}, Instruction{What::store, at, word}, Instruction{What::fence}};
}

}  // namespace rnicsim::nts
