// SPDX-License-Identifier: Apache-2.0
// Where the time of an operation goes whose ends store to each other's memory through a bridge: from its end back, each
// time to what that waited for, so that each instant counts for one thing.
#pragma once

#include "model/config.h"
#include "testbench/events/event_log.h"
#include "testbench/observe/ladder.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

class BridgePath {
  public:
    /// `run` must outlive it.
    explicit BridgePath(const RunConfig& run) : run_(run) {}

    /// The operation is asked for. Nothing is divided if it goes over no bridge.
    void begin(const OperationStep& asked);
    /// Has anything of its connection gone over the bridge?
    [[nodiscard]] bool is_used() const { return !ways_[0].stores.empty() || !ways_[1].stores.empty(); }
    /// All events of the run, in their order.
    void add(const LoggedEvent& event);

    /// What has crossed for its connection; `every_tlp`: none are put together.
    [[nodiscard]] std::vector<LadderRow> rows(bool every_tlp) const;
    /// They add up to `end` - `start`. `side`: whose program ends it.
    [[nodiscard]] std::vector<LadderShare> shares(Time start, Time end, unsigned side) const;

  private:
    /// What a side's core did from here to there.
    struct Busy {
        Time from, to;
        std::string what;
    };
    /// A MWr of this connection, stage by stage.
    struct Store {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
        Time told, given;  ///< its line to leave; to the root port
        Time begins = kEndOfTime, left = kEndOfTime, crossed = kEndOfTime, taken = kEndOfTime;
    };
    /// All MWr in a direction of a bridge, in their order; nullptr: of others.
    struct Flying {
        std::deque<Store*> sent, crossed;  ///< not at the other side yet; not in memory yet
        std::deque<Time> elsewhere;        ///< when others came to nothing: their credits are back at once
    };
    /// What one side does for the other one.
    struct Way {
        std::string name;                ///< of its host
        std::vector<Busy> works, waits;  ///< of its core; it works meanwhile for what waits
        std::deque<Store> stores;        ///< they do not move
        std::deque<Store*> given;        ///< not on the link yet
        Time down;                       ///< from a core to the port
    };
    class Walk;

    [[nodiscard]] std::optional<unsigned> side_of(unsigned host) const;
    void worked(unsigned side, const LoggedEvent& event, const CoreStep& step);
    void stored(unsigned side, const LoggedEvent& event, const StoreStep& step);
    void flies(const LoggedEvent& event, const BridgeStep& step);
    [[nodiscard]] Store* take_sent(const LoggedEvent& event, const BridgeStep& step);

    const RunConfig& run_;
    OperationStep asked_;
    std::array<Way, 2> ways_;                                 // by who sends
    std::optional<unsigned> bridge_;                          // once it is asked for
    std::map<std::pair<unsigned, unsigned>, Flying> flying_;  // by bridge and who sends
};

}  // namespace rnicsim
