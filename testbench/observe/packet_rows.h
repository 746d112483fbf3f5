// SPDX-License-Identifier: Apache-2.0
// Rows of a ladder for what RoCEv2 RNICs send each other, and for remarks between them: packets that follow each other
// without anything of note are put together, and so are equal remarks.
#pragma once

#include "model/faults/frame_name.h"
#include "testbench/events/event_log.h"
#include "testbench/observe/hops.h"
#include "testbench/observe/ladder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace rnicsim {

/// What a ladder says of something that an RNIC counts.
struct CountSaid {
    Tone tone = Tone::plain;
    std::string_view text;  ///< empty: the packets show it
};
CountSaid said_of(rc::RcCount what);
/// Is it sent by a responder?
bool answers(const roce::Bth& bth);

class PacketRows {
  public:
    /// `every_frame`: none are put together. Neither is owned.
    PacketRows(Ladder& ladder, const RunConfig& run, bool every_frame);

    struct PacketName {
        bool by_initiator = true;
        std::uint32_t number = 0;  ///< its PSN, from the first one of its QP; of a stream where its bytes begin
        std::string of{};          ///< which QP's, where that has to be said
    };
    /// A packet that belongs to the ladder is sent, goes on, or ends. True: it has come, whole and for the first time.
    bool packet(const LoggedEvent& event, const WireFrame& wire, const PacketName& name);
    void mark(Time at, Lane lane, Tone tone, std::string text);
    /// All are there: in the order of time.
    void sort();

  private:
    /// A packet by who sends it, the QP that it is for, kind, PSN and syndrome; a frame of a stream by that.
    using Key = std::tuple<bool, std::uint32_t, FrameKind, std::uint32_t, std::uint8_t>;
    /// What it is, whatever its protocol.
    struct Kind {
        Key key;
        LadderFrames::Look look{};
        std::string_view name;
        bool numbered = false;
        std::uint32_t behind = 1;  ///< how much further the next number is
        bool again = false;        ///< it may be one that was sent before
    };
    [[nodiscard]] static Kind kind_of(const WireFrame& wire, const PacketName& name);
    /// One transmission of it; the oldest that has not ended is the next that does.
    struct Sent {
        Time begins;
        bool again = false;
        bool ended = false;
        std::optional<Time> in_switch{};  // since then
        std::string place{};              // where it waited longest
        Time waited{};
    };

    void hop(const LoggedEvent& event, const WireFrame& wire, Sent& sent) const;
    bool ends(const LoggedEvent& event, const WireFrame& wire, const PacketName& name, const Kind& kind, Sent& sent);

    Ladder& ladder_;
    const RunConfig& run_;
    const bool every_frame_;
    Hops hops_;
    std::vector<MacTiming> wires_;  // by host
    std::map<Key, std::vector<Sent>> sent_;
    std::array<std::size_t, 2> open_{};  // rows of frames that more may join, by who sends them; 0 = none
    std::size_t aside_ = 0;              // row of a remark that more of the same may join; 0 = none
};

}  // namespace rnicsim
