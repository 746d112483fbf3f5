// SPDX-License-Identifier: Apache-2.0
// The ladder of an item of a scheme: what both programs and cards do to have its data durable at the responder, and
// where these lie there.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/observe/ladder.h"
#include "testbench/observe/message_ladder.h"
#include "testbench/observe/packet_rows.h"
#include "testbench/observe/persist_stays.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class PersistLadder {
  public:
    /// `item`: by its initiator, the QP that asks, and its number; there is such a connection. `every_frame`: none are
    /// put together.
    PersistLadder(const MessageName& item, const RunConfig& run, bool every_frame);
    PersistLadder(const PersistLadder&) = delete;  // its rows are in its ladder
    PersistLadder& operator=(const PersistLadder&) = delete;

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    /// Its end has been told, and nothing changes any more for its lines.
    [[nodiscard]] bool complete() const { return over_ && last_ >= settled_; }
    [[nodiscard]] Ladder finish();

  private:
    /// A message of it, as it was posted.
    struct Part {
        PersistStep post;
        bool by_initiator = true;
        bool acknowledged = false, persisted = false;  // an ACK, a PACK of it, or of a later one, has been sent
    };
    /// A line that the responder's processor has written before comes there.
    struct Store {
        Time at;
        WriteStage stage = WriteStage::nowhere;
    };

    void step(const LoggedEvent& event, const PersistStep& step);
    void posts(const LoggedEvent& event, const PersistStep& step);
    void line(const LoggedEvent& event, const LineStep& line);
    void packet(const LoggedEvent& event, const WireFrame& wire);
    void dma(const LoggedEvent& event, const DmaRequest& request);
    void note(const LoggedEvent& event, const QpNote& note);
    /// Does the packet belong to this message, or answer it?
    [[nodiscard]] bool is_of(const Part& part, const WireFrame& wire) const;
    void took_cqe(unsigned host, std::uint32_t n);
    void show_stores();
    void show_lines(const std::vector<PersistStays::State>& states);
    void judge_telling(const std::vector<PersistStays::State>& states);
    void tell(Time at, std::string_view what);

    const MessageName name_;
    const RunConfig& run_;
    const VerbsLayout layout_;
    const VerbsLayout::Connection& plan_;
    Ladder ladder_;
    PacketRows rows_;
    PersistStays stays_;
    std::vector<Part> parts_;
    std::vector<Store> stores_;                          // into the item's lines
    std::array<std::vector<Time>, 2> cqes_;              // by side: when the n-th was written
    std::array<std::set<std::uint32_t>, 2> shown_cqes_;  // by side, as numbered in steps
    bool asked_ = false;                                 // the last packet of what asks for durability has come
    bool over_ = false;
    Time last_, settled_ = kEndOfTime;
    Time told_written_ = kEndOfTime, told_persisted_ = kEndOfTime;
    std::size_t told_row_ = 0;  // what it was told last
};

}  // namespace rnicsim
