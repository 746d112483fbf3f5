// SPDX-License-Identifier: Apache-2.0
// A ring of slots in the receiver's memory, which the sender fills by stores through a window of a bridge: NTSocks'
// data ring, as its thesis has it (2021, chapter 5), with what it lacks, and the other places that an index can have.
// Lengths are in bytes, places are offsets in the memory of a host that the other one sees.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rnicsim::nts {

inline constexpr std::uint32_t kWord = 8;  // of a header, an index, a store: atomic if it is aligned

/// Whose memory has the index of who reads, and that of who writes: l, the receiver's; r, the sender's.
enum class Index : std::uint8_t {
    shadow,  ///< no index: a length that is not 0 says that a slot is full; the reader's, now and then, at the sender
    ll,
    lr,
    rl,
    rr
};
inline constexpr std::array<std::string_view, 5> kIndexNames{"shadow", "ll", "lr", "rl", "rr"};

enum class Align : std::uint8_t {
    line,   ///< slots begin with a line
    packed  ///< 8 B behind one, as NTSocks' do behind the shadow index
};
inline constexpr std::array<std::string_view, 2> kAlignNames{"line", "packed"};

/// How the receiver learns that it has to look.
enum class Notify : std::uint8_t { poll, doorbell };
inline constexpr std::array<std::string_view, 2> kNotifyNames{"poll", "doorbell"};

/// How many copies there are of a message, beside the stores: NTSocks' three ways for a program to use it.
enum class Mode : std::uint8_t {
    shm,     ///< one, from the ring to memory that the receiving program shares
    origin,  ///< three: each program has its own memory, and copies to and from what is shared
    direct   ///< none: the programs work in what is shared, the receiving one in the ring
};
inline constexpr std::array<std::string_view, 3> kModeNames{"shm", "origin", "direct"};

/// What keeps a ring safe. Each can be left out, to see what it does.
struct RingRules {
    bool header_last = true;            ///< behind the payload
    bool fence_before_header = true;    ///< the payload has left the core before the header is stored
    bool drain_behind = true;           ///< behind the last header, and before the sender waits
    bool zeroes = true;                 ///< the receiver zeroes the length of what it has taken
    bool zeroes_first = true;           ///< ... before it pushes its index
    std::int32_t spare = 1;             ///< slots that are never used; less than 0: so many more than there are
    bool pushes = true;                 ///< the receiver says how far it has read
    bool clears_before_up = true;       ///< its ring, before the sender may begin
    bool fence_before_index = true;     ///< the slot has left the core before the index is stored
    bool end_last = true;               ///< of a message of several slots the last header, behind all else
    bool zeroes_all = true;             ///< ... of which it zeroes each slot's length
    bool header_in_a_line = true;       ///< no header lies in two lines
    bool clears_doorbell_first = true;  ///< before it looks
    // Where a link was down, or the receiver begins anew.
    bool looks_at_link = true;       ///< the receiver, behind the length and before it takes: there may be a hole
    bool asks_first = true;          ///< ... has the sender stop before it clears its ring, and waits for its answer
    bool clears_again_first = true;  ///< ... clears it before it says Up
    bool takes_back_index = true;    ///< the sender, of its own memory, before it answers
    bool numbers_answers = true;     ///< an answer is to one question
    bool goes_back = true;           ///< the sender, to the message that Up names
    bool knows_ones = true;          ///< all ones are no index: the link is down
    // Where messages go by a stream meanwhile.
    bool waits_for_stream = true;  ///< the receiver, for what has been sent by it, before it says Up
    bool knows_stale = true;       ///< the sender, which of Up and the receiver's wish for the stream is the later one
    bool keeps_to_stream = true;   ///< the sender, with what it has sent by it: that is not sent again
};

/// Of a header.
enum class Kind : std::uint8_t { none, single, multi, end };

struct Header {
    std::uint16_t message = 0;  ///< its tag, in place of ports
    std::uint16_t bytes = 0;    ///< of the message with its header; 0: the slot is empty
    Kind kind = Kind::none;
    bool push = false;  ///< PSH: the sender wants to know how far the receiver has read
};
constexpr std::uint64_t word_of(const Header& header) {
    return header.message | std::uint64_t{header.message} << 16U | std::uint64_t{header.bytes} << 32U |
           static_cast<std::uint64_t>(header.kind) << 60U | std::uint64_t{header.push} << 63U;
}
constexpr Header header_of(std::uint64_t word) {
    return {static_cast<std::uint16_t>(word), static_cast<std::uint16_t>(word >> 32U),
            static_cast<Kind>(word >> 60U & 7U), (word >> 63U) != 0};
}
/// Its ports have not come with its length.
constexpr bool is_half(std::uint64_t word) { return (word & 0xFFFFU) != (word >> 16U & 0xFFFFU); }

struct RingShape {
    std::uint32_t slots = 3;
    std::uint32_t slot = 64;  ///< bytes, a multiple of kWord, with a header
    std::uint32_t line = 64;  ///< bytes, of a core
    Index index = Index::shadow;
    Align align = Align::line;
    Notify notify = Notify::poll;
    bool stream = false;          ///< while the link is down messages go by a stream, which loses nothing
    std::uint32_t push_each = 0;  ///< slots: the receiver says how far it has read at least so often; 0: if it is asked

    [[nodiscard]] bool has_index() const { return index != Index::shadow; }
    /// The sender loads the reader's index from the other host.
    [[nodiscard]] bool loads_reader() const { return index == Index::ll || index == Index::lr; }
    /// The receiver loads the writer's index from there.
    [[nodiscard]] bool loads_writer() const { return index == Index::lr || index == Index::rr; }

    // Places in the receiver's memory.
    [[nodiscard]] std::uint32_t ring_at(const RingRules& rules) const {
        if (!rules.header_in_a_line) return line - kWord / 2;
        return align == Align::line ? 0 : kWord;
    }
    [[nodiscard]] std::uint32_t slot_at(const RingRules& rules, std::uint64_t number) const {
        return ring_at(rules) + static_cast<std::uint32_t>(number % slots) * slot;
    }
    [[nodiscard]] std::uint32_t indices_at() const { return (slots * slot + 2 * line - 1) / line * line; }
    // In both hosts' memories, behind what the ring takes; the host whose it is uses it.
    [[nodiscard]] std::uint32_t reader_at() const { return indices_at(); }
    [[nodiscard]] std::uint32_t writer_at() const { return indices_at() + line; }
    [[nodiscard]] std::uint32_t asked_at() const { return indices_at() + 2 * line; }     ///< what the reader has said
    [[nodiscard]] std::uint32_t answered_at() const { return indices_at() + 3 * line; }  ///< what the writer has
    [[nodiscard]] std::uint32_t bytes() const { return indices_at() + 4 * line; }

    /// Of a message with so many bytes of payload.
    [[nodiscard]] std::uint32_t slots_of(std::uint32_t payload) const {
        return payload + kWord <= slot ? 1 : (payload + 2 * kWord + slot - 1) / slot;
    }
    /// A longer message may wait for ever: the receiver pushes its index when more than half of the slots are used.
    [[nodiscard]] std::uint32_t most_slots() const { return slots - 1 - slots / 2; }
};

/// What a ring's two ends say to each other when the ring begins anew, and by a stream.
enum class Said : std::uint8_t {
    nothing,
    going_down,  ///< by who reads: stop; its question's number
    stopped,     ///< the answer, behind all that was stored: that number; how many messages went by the stream at most
    up           ///< the ring is clear: how many messages and slots were taken. By the stream: send by it, as the link
                 ///< is down; the number of the question before; how many messages were taken
};
/// Numbers are told modulo kSaidNumbers.
inline constexpr std::uint64_t kSaidNumbers = std::uint64_t{1} << 31U;
constexpr std::uint64_t word_of(Said what, std::uint64_t number, std::uint64_t more = 0) {
    return (more % kSaidNumbers) << 33U | (number % kSaidNumbers) << 2U | static_cast<std::uint64_t>(what);
}
constexpr Said said_in(std::uint64_t word) { return static_cast<Said>(word & 3U); }
constexpr std::uint64_t number_in(std::uint64_t word) { return word >> 2U & (kSaidNumbers - 1); }
constexpr std::uint64_t more_in(std::uint64_t word) { return word >> 33U; }

/// What a load finds where nobody answers.
inline constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

}  // namespace rnicsim::nts
