// SPDX-License-Identifier: Apache-2.0
// The ladder of an operation of an application: what threads, kernels and cards of both hosts do for its connection
// while it is under way, and where its time goes.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/observe/bridge_path.h"
#include "testbench/observe/ladder.h"
#include "testbench/observe/message_ladder.h"
#include "testbench/observe/packet_rows.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

class OperationLadder {
  public:
    /// By the host that asks, its QP and the operation's number; `parts`: names of the parts of its time. All must
    /// outlive it. `every_frame`: none are put together.
    OperationLadder(const MessageName& operation, const RunConfig& run, std::span<const std::string_view> parts,
                    bool every_frame);
    OperationLadder(const OperationLadder&) = delete;  // its rows are in its ladder
    OperationLadder& operator=(const OperationLadder&) = delete;

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    [[nodiscard]] bool complete() const { return over_; }
    [[nodiscard]] Ladder finish();

  private:
    /// What went on from here to there; of what goes on at once the lower kind counts.
    struct Span {
        Time from, to;
        enum class Kind : std::uint8_t { core, peer_core, wire, interrupt, moderation } kind{};
        Charge charge{};  ///< of cores
        WorkedBy by{};    ///< the same
    };

    void step(const LoggedEvent& event, const OperationStep& step);
    void end_step(const LoggedEvent& event, const EndStep& step);
    void core(const LoggedEvent& event, const CoreStep& step);
    void frame(const LoggedEvent& event, const WireFrame& wire);
    void handled(unsigned side, const LoggedEvent& event, const CoreStep& step);
    void dma(const LoggedEvent& event, const DmaRequest& request);
    void note(const LoggedEvent& event, const QpNote& note);
    [[nodiscard]] std::optional<PacketRows::PacketName> name_of(const WireFrame& wire) const;
    /// 0: who asks, 1: who answers, nothing: neither.
    [[nodiscard]] std::optional<unsigned> side_of(unsigned host) const;
    void show_cores();
    void share_time();
    void go_back();
    [[nodiscard]] std::string name_of(const Span& span) const;

    const MessageName name_;
    const RunConfig& run_;
    const std::span<const std::string_view> parts_;
    Ladder ladder_;
    PacketRows rows_;
    BridgePath path_;
    const bool every_frame_;
    const std::vector<MacTiming> wires_;  // by host
    OperationStep asked_;
    bool over_ = false;
    std::vector<Span> spans_;
    std::array<Time, 2> comes_{kEndOfTime, kEndOfTime};  // by side: a frame of a stream, of which nobody is told yet
    struct Interrupt {
        Time asked, reached;  // by the card; the host
    };
    std::array<std::vector<Interrupt>, 2> interrupts_;  // by side: whose handlers have not run
    std::array<std::deque<Time>, 2> left_;              // by who sends: when frames began that have not come
    std::optional<std::uint8_t> part_;                  // that has ended last
    Time first_part_ended_;                             // the way there
};

}  // namespace rnicsim
