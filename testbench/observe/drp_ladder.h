// SPDX-License-Identifier: Apache-2.0
// The ladder of a transfer between DRP RNICs.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/observe/hops.h"
#include "testbench/observe/ladder.h"
#include "testbench/observe/transfer_of.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/ids.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

class DrpLadder {
  public:
    /// `every_frame`: none are put together. `go_back_n`: the receiver takes frames in order only.
    DrpLadder(TransferName transfer, const RunConfig& run, bool every_frame, bool go_back_n)
        : transfer_(transfer),
          names_(run.hosts.size()),
          hops_(run),
          every_frame_(every_frame),
          go_back_n_(go_back_n),
          network_(!run.switches.empty()),
          buffers_(run.hosts.size()) {}

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    /// Both ends have finished it, and its data is in memory: later events do not belong to it.
    [[nodiscard]] bool complete() const {
        return reported_ && released_ && (ladder_.failed || ladder_.in_memory != kEndOfTime);
    }
    [[nodiscard]] Ladder finish();

  private:
    void sent(Time at, const WireFrame& frame, const DrpHeader& header);
    void frame(const LoggedEvent& event, const WireFrame& wire, const DrpHeader& header);
    void hop(const LoggedEvent& event, const WireFrame& wire);
    void decision(const LoggedEvent& event, const DecisionResult& result);
    void fill(const LoggedEvent& event, std::uint32_t filled);
    void responder(const LoggedEvent& event, const std::optional<TransferName>& of);
    void own_freed(Time at, std::uint32_t slots);
    void step(const LoggedEvent& event, const SoftwareStep& software);
    void placed(const LoggedEvent& event, const MemoryAccess& memory);
    void mark(Time at, Lane lane, Tone tone, std::string text);
    void mark_aside(Time at, Lane lane, Tone tone, std::string_view text);
    [[nodiscard]] Lane lane_of(const LoggedEvent& event, bool host) const;

    const TransferName transfer_;
    TransferNames names_;
    Hops hops_;
    Ladder ladder_;
    std::uint32_t bytes_ = 0;
    Operation operation_ = Operation::write;
    bool every_frame_, go_back_n_, network_;
    bool reported_ = false, released_ = false;
    std::optional<std::uint64_t> region_;         // where its data goes
    std::uint32_t placed_ = 0;                    // bytes of it that are in memory
    std::map<TransferName, std::uint32_t> kept_;  // slots with data of each transfer, not drained yet
    /// The indirect buffer of one host.
    struct Buffer {
        std::vector<std::pair<TransferName, std::uint32_t>> drains;  // slots on their way to memory, the oldest first
        std::optional<TransferName> decided;                         // its RNIC's last decision: about which, when,
        Time decided_at{-1};
        bool drained = false;      // and whether it drained
        std::uint32_t filled = 0;  // slots in use
    };
    std::vector<Buffer> buffers_;                        // by host
    std::uint32_t own_ = 0;                              // slots with data of this transfer
    std::vector<std::pair<Time, std::uint32_t>> fills_;  // own_ from then on
    std::uint32_t fresh_ = 0;                            // SN that has not been sent yet
    std::size_t aside_ = 0;                              // row of a remark that more of the same may join; 0 = none
    /// The last transmission of a frame that looks like this.
    struct Sent {
        Time begins;
        bool again = false;
        bool delivered = false;
        std::optional<Time> in_switch{};  // since then
        std::string place{};              // where it waited longest
        Time waited{};
    };
    std::map<FrameHead, Sent> sent_;
    std::array<std::array<std::size_t, 2>, 2>
        open_{};  // rows of frames that more may join: [by initiator][ack]; 0 = none
};

}  // namespace rnicsim
