// The ladder of a message between RoCEv2 RNICs.
#pragma once

#include "model/faults/frame_name.h"
#include "testbench/event_log.h"
#include "testbench/observe/hops.h"
#include "testbench/observe/ladder.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace rnicsim {

/// A message: the n-th that a QP of a host has sent; QPs by the order of their creation. All from 0.
struct MessageName {
    unsigned sender = 0;
    std::uint64_t qp = 0;
    std::uint64_t number = 0;
    /// "a.q0.7"
    [[nodiscard]] std::string text(const HostNames& hosts) const { return hosts.message(sender, qp, number); }
};

class MessageLadder {
  public:
    /// `every_frame`: none are put together.
    MessageLadder(const MessageName& message, const RunConfig& run, bool every_frame);

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    /// It is over, and its bytes are where they belong: later events do not belong to it.
    [[nodiscard]] bool complete() const;
    [[nodiscard]] Ladder finish();

  private:
    /// A packet by who sends it, kind, PSN and syndrome.
    using Key = std::tuple<bool, FrameKind, std::uint32_t, std::uint8_t>;
    /// One transmission of it; the oldest that has not ended is the next that does.
    struct Sent {
        Time begins;
        bool again = false;
        bool ended = false;
        std::optional<Time> in_switch{};  // since then
        std::string place{};              // where it waited longest
        Time waited{};
    };

    void step(const LoggedEvent& event, const MessageStep& step);
    void note(const LoggedEvent& event, const QpNote& note);
    void placed(const LoggedEvent& event, const MemoryAccess& memory);
    void packet(const LoggedEvent& event, const WireFrame& wire);
    void hop(const LoggedEvent& event, const WireFrame& wire, Sent& sent) const;
    void ends(const LoggedEvent& event, const WireFrame& wire, Sent& sent);
    void mark(Time at, Lane lane, Tone tone, std::string text);
    /// Does the packet belong to the message, or acknowledge it?
    [[nodiscard]] bool is_part(const WireFrame& wire);
    /// Its PSN, from the first one of the QP.
    [[nodiscard]] std::uint32_t psn_of(const roce::Bth& bth) const;

    const MessageName name_;
    const bool every_frame_;
    const RunConfig& run_;
    Hops hops_;
    std::vector<MacTiming> wires_;  // by host
    Ladder ladder_;
    MessageStep message_;                  // as it was posted
    bool over_ = false, arrived_ = false;  // the sender has its completion; the receiver too
    bool acknowledged_ = false;            // an ACK of it, or of a later message, has been sent
    std::set<std::uint64_t> pieces_;       // of its payload, by address
    std::uint64_t placed_ = 0;             // bytes of them
    std::map<Key, std::vector<Sent>> sent_;
    std::array<std::size_t, 2> open_{};  // rows of frames that more may join, by who sends them; 0 = none
    std::size_t aside_ = 0;              // row of a remark that more of the same may join; 0 = none
};

}  // namespace rnicsim
