// SPDX-License-Identifier: Apache-2.0
// How much moves on each link and bridge, and how much lies in each switch, over time: a row an interval. Columns and
// what they mean: testbench/observe/README.md.
#pragma once

#include "model/config.h"
#include "testbench/observe/observation.h"
#include "testbench/records/output_file.h"
#include "tlm/time/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

class SeriesWriter : public EventWriter {
  public:
    /// `from`, `to`: the window. Throws RequestError.
    SeriesWriter(const std::string& name, const RunConfig& run, Time interval, Time from, Time to);

    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override { count(event); }
    /// Counted as well: what lies in a switch when the window begins has come before.
    void outside(const LoggedEvent& event) override { count(event); }
    void finish() override;

  private:
    /// A frame enters a switch for one of its neighbours, or leaves it; a TLP takes a credit, or gives it back; a link
    /// goes down, or up.
    struct Move {
        Time at;
        std::int64_t by = 0;
    };
    using Column = std::map<std::int64_t, std::int64_t>;  // by interval
    /// One direction of a link, or of several between the same two nodes.
    struct Hop {
        std::string name;  ///< "client0>s0"
        Time delay;
        Column bytes;              ///< with preamble and gap
        std::vector<Move> queued;  ///< where a switch sends
    };
    /// One direction of a bridge.
    struct Crossing {
        std::string name;  ///< "n0 near>target"
        Column bytes;      ///< of payload, where they cross
        std::vector<Move> credits;
    };
    struct Bridge {
        std::string name;
        std::array<Crossing, 2> ways;  ///< by who sends: the host with the lower number first
        std::vector<Move> down;
    };
    using Ends = std::pair<unsigned, unsigned>;  // nodes: hosts, then switches

    void count(const LoggedEvent& event);
    void count(const LoggedEvent& event, const BridgeStep& step);
    /// `node`: a switch. Where its frames to this host go; nullptr: nowhere.
    [[nodiscard]] Hop* way_out(unsigned node, unsigned host);
    [[nodiscard]] Column highest(std::vector<Move>& moves) const;
    [[nodiscard]] std::vector<Column> highest_queues();
    [[nodiscard]] std::int64_t interval_of(Time at) const { return at.ps / interval_.ps; }

    OutputFile file_;
    Time interval_, from_, to_;
    unsigned hosts_;
    bool has_queues_;                   // it can be told what lies where
    std::vector<Hop> hops_;             // columns
    std::map<Ends, std::size_t> at_;    // from, to: place in hops_
    std::map<Ends, std::size_t> ways_;  // switch, host: place in hops_
    std::vector<Bridge> bridges_;
};

}  // namespace rnicsim
