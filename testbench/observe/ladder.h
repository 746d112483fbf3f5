// SPDX-License-Identifier: Apache-2.0
// One transfer as a ladder: what both hosts and both RNICs do and which frames pass between them, in the order of time.
// Built by drp_ladder and message_ladder, drawn by ladder_text and ladder_svg.
#pragma once

#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rnicsim {

/// The last two: kernels, of an application's hosts.
enum class Lane : std::uint8_t {
    initiator_host,
    initiator_rnic,
    responder_rnic,
    responder_host,
    iio,
    llc,
    imc,
    scm,
    initiator_kernel,
    responder_kernel
};
inline constexpr std::size_t kStageLanes = 4;  ///< from `iio` on: the way into persistent memory
constexpr std::size_t stage_of(Lane lane) {
    return static_cast<std::size_t>(lane) - static_cast<std::size_t>(Lane::iio);
}

/// What a host or an RNIC does. `trouble`: something went wrong, `turn`: the transfer takes another course.
enum class Tone : std::uint8_t { plain, trouble, turn };
struct LadderMark {
    Lane lane = Lane::initiator_host;
    Tone tone = Tone::plain;
    std::string text;
    unsigned count = 1;  ///< the same, so many times in a row
    bool flag = false;   ///< a program is told something
    [[nodiscard]] std::string label() const;
};

/// A frame, or frames of consecutive numbers without anything of note between them.
struct LadderFrames {
    enum class Look : std::uint8_t { control, data, ack };
    Look look = Look::control;
    bool by_initiator = true;
    bool lost = false;
    bool damaged = false;       ///< arrives with a wrong bit: as good as lost
    bool copy = false;          ///< the link delivers it a second time
    bool again = false;         ///< has been sent before
    bool indirect = false;      ///< DRP: its MODE
    std::string of;             ///< which QP's, where that has to be said
    std::string_view name;      ///< what it is
    std::string_view numbered;  ///< stands before its number: " " or " +"; empty: the number says nothing
    std::uint32_t first = 0, last = 0;
    std::uint32_t next = 0;  ///< the number that would go on behind the last
    unsigned count = 1;
    Time arrives = kEndOfTime;  ///< the last of them
    std::string place;          ///< in a network: the switch where one waited longest, or what lost it
    Time waited;                ///< there, behind other frames
    /// One more of them.
    void join(const LadderFrames& more);
    [[nodiscard]] std::string label() const;
    /// What happened on the way: "waited 12.304 us at s0", "lost behind s0"; empty if nothing of note.
    [[nodiscard]] std::string on_the_way() const;
};

/// Writes of lines of an item that are in a stage.
struct LadderStay {
    /// What a power cut would make of what the initiator was told last.
    enum class Risk : std::uint8_t { none, written, persisted };
    std::uint32_t lines = 0;
    Risk risk = Risk::none;
};
/// A stage of the responder's way into persistent memory.
struct LadderStage {
    Lane lane = Lane::iio;
    std::string_view name;
    bool kept = false;  ///< a power cut leaves what it has
};

struct LadderRow {
    Time at;  ///< of frames: the first one's preamble begins
    std::variant<LadderMark, LadderFrames> what;
    std::uint32_t fill = 0;  ///< slots of the far indirect buffer that hold data of this transfer, before the next row
    std::array<LadderStay, kStageLanes> stays{};  ///< by stage_of(), likewise
};

/// What a part of the time went for.
struct LadderShare {
    std::string what;
    Time took;
};

struct Ladder {
    std::string initiator, responder;  ///< names of their hosts
    std::string_view device = "RNIC";  ///< by which they send: a card, or ports to a bridge
    unsigned responder_host = 0;
    std::string title;
    std::string what;  ///< "write of 131072 B"
    bool found = false;
    bool failed = false;
    Time start, end = kEndOfTime;     ///< as the upper layer sees it
    Time in_memory = kEndOfTime;      ///< the last byte is in the memory of the host that receives
    std::uint32_t fullest = 0;        ///< of the indirect buffer while it went on, slots
    std::vector<LadderStage> stages;  ///< those that the responder has; none: it is about no item of a scheme
    bool told_durable = false;        ///< of an item: what its end is
    Time safe = kEndOfTime;           ///< from then on a power cut does not hurt it
    bool kernels = false;             ///< kernels have lanes of their own
    bool goes_back = false;           ///< shares are what each thing waited for, from the end back
    std::vector<LadderShare> shares;  ///< of the time from start to end, in all; empty: nobody has divided it
    std::vector<LadderRow> rows;
};

/// What became of it: ": completed after 3.618 us, ..."; empty: it has no end.
std::string outcome(const Ladder& ladder);

/// "128 KiB", "2 B"
std::string size_text(std::uint64_t bytes);

}  // namespace rnicsim
