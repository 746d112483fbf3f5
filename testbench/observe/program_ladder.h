// SPDX-License-Identifier: Apache-2.0
// The ladder of a program of the machine: its verbs calls, what its QPs send and get, and what the cards at both ends
// say of these.
#pragma once

#include "testbench/events/event_log.h"
#include "testbench/observe/ladder.h"
#include "testbench/observe/packet_rows.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rnicsim {

/// A program by its host and its number there, in the order of their coming, from 0.
struct RecordedProgram {
    unsigned host = 0;
    std::uint16_t number = 0;
    std::string name;
    /// "a:0"
    [[nodiscard]] std::string text(const HostNames& hosts) const { return hosts[host] + ':' + std::to_string(number); }
};

class ProgramLadder {
  public:
    /// `every_frame`: none are put together. `run`: not owned.
    ProgramLadder(RecordedProgram program, const RunConfig& run, bool every_frame);
    ProgramLadder(const ProgramLadder&) = delete;  // its rows are in its ladder
    ProgramLadder& operator=(const ProgramLadder&) = delete;

    /// All events of the run, in their order.
    void add(const LoggedEvent& event);
    [[nodiscard]] Ladder finish();
    /// What the cards have counted of its QPs, a line each: "a.q0  timeouts 1, retransmissions 1".
    [[nodiscard]] std::string counted() const;

  private:
    /// Messages that have ended since the last poll, of one QP.
    struct Taken {
        std::string what;
        std::uint32_t first = 0, last = 0;
    };

    void connected(const QpConnected& qp);
    void call(const LoggedEvent& event, const VerbsCall& call);
    void step(const LoggedEvent& event, const MessageStep& step);
    void note(const LoggedEvent& event, const QpNote& note);
    void packet(const LoggedEvent& event, const WireFrame& wire);
    [[nodiscard]] std::string qp_prefix(const QpConnected& qp) const;

    const RecordedProgram program_;
    const RunConfig& run_;
    Ladder ladder_;
    PacketRows rows_;
    std::map<std::uint32_t, QpConnected> qps_;                       // by QPN
    std::map<std::pair<unsigned, std::uint32_t>, roce::Psn> first_;  // of any QP, by host and QPN
    std::vector<Taken> taken_;
    bool failed_ = false;                                                 // one of these
    std::map<std::string, std::map<rc::RcCount, std::uint64_t>> counts_;  // by name of a QP
};

}  // namespace rnicsim
