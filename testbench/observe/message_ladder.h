// SPDX-License-Identifier: Apache-2.0
// The ladder of a message between RoCEv2 RNICs.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/observe/ladder.h"
#include "testbench/observe/packet_rows.h"

#include <cstdint>
#include <set>
#include <string>

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
    MessageLadder(const MessageLadder&) = delete;  // its rows are in its ladder
    MessageLadder& operator=(const MessageLadder&) = delete;

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    /// It is over, and its bytes are where they belong: later events do not belong to it.
    [[nodiscard]] bool complete() const;
    [[nodiscard]] Ladder finish();

  private:
    void step(const LoggedEvent& event, const MessageStep& step);
    void note(const LoggedEvent& event, const QpNote& note);
    void placed(const LoggedEvent& event, const MemoryAccess& memory);
    void packet(const LoggedEvent& event, const WireFrame& wire);
    /// Does the packet belong to the message, or acknowledge it?
    [[nodiscard]] bool is_part(const WireFrame& wire);

    const MessageName name_;
    const RunConfig& run_;
    Ladder ladder_;
    PacketRows rows_;
    MessageStep message_;                  // as it was posted
    bool over_ = false, arrived_ = false;  // the sender has its completion; the receiver too
    bool acknowledged_ = false;            // an ACK of it, or of a later message, has been sent
    std::set<std::uint64_t> pieces_;       // of its payload, by address
    std::uint64_t placed_ = 0;             // bytes of them
};

}  // namespace rnicsim
