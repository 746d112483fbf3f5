// SPDX-License-Identifier: Apache-2.0
// Power cuts of hosts with programs, from one run: what the hosts' persistence paths tell of lines, and what programs
// are told by completions, goes into a ledger a host (persistence/power_cut_ledger.h).
//
// A WRITE or ATOMIC WRITE of a reliable connection into persistent memory is a message. Persistent is what was
// registered with the right of FLUSHes for persistence. Its program is told that it is written when it takes its
// completion, or a later one of the QP; that it is durable, when it so takes that of a FLUSH behind it, for persistence
// and of all of its bytes.
#pragma once

#include "model/config.h"
#include "model/system.h"
#include "testbench/programs/server/call_observer.h"
#include "testbench/programs/server/cut_request.h"
#include "testbench/workloads/persistence/power_cut_ledger.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim::programs {

/// What a run says of a host that has persistent memory of programs.
struct ProgramCutReport {
    unsigned host = 0;
    std::uint64_t writes = 0, told_durable = 0;  ///< messages
    CutReport report;
    std::string example;  ///< in words: the first of which its program was told too much; empty: none
    std::vector<std::string>
        cut;  ///< what a cut at the instant that was asked for would have left; empty: nobody asked
};

class ProgramCuts final : public CallObserver {
  public:
    /// The configuration must outlive it.
    ProgramCuts(const RunConfig& config, const CutRequest& request);
    ~ProgramCuts() override;
    ProgramCuts(const ProgramCuts&) = delete;
    ProgramCuts& operator=(const ProgramCuts&) = delete;

    void attach(System& system);
    /// A host has a persistence path: else there is nothing to hear.
    [[nodiscard]] bool has_hosts() const;
    /// Nothing happens before `now` any more.
    void advance(Time now);
    /// Of hosts with such messages.
    [[nodiscard]] std::vector<ProgramCutReport> finish(Time end);

    // CallObserver
    void begins(const Program& /*program*/) override {}
    void told(const Program& /*program*/, const Asked& /*asked*/, const Posts& /*posts*/, Time /*ends*/) override {}
    void answered(const Program& /*program*/, const Asked& /*asked*/, int /*error*/,
                  std::span<const std::byte> /*answer*/, Time /*ends*/) override {}
    void registered(const Program& program, std::uint32_t key, const Registration& as) override;
    void modified(const Program& program, const rc::Qp& qp, rc::QpState before) override;
    void posted(const Program& program, const rc::Qp& qp, std::uint32_t index, const rc::SendWqe& wqe) override;
    void taken(const Program& program, const rc::Completion& completion, Time now) override;

  private:
    struct OfHost;
    /// Bytes on a host's bus.
    struct Span {
        std::uint64_t begin = 0, end = 0;
        [[nodiscard]] bool includes(const Span& other) const { return begin <= other.begin && other.end <= end; }
    };
    static constexpr Span kAll{0, ~std::uint64_t{0}};
    struct Write {
        std::uint32_t index = 0;  // of its send queue
        std::uint64_t message = 0;
        Span bytes;
    };
    struct Flush {
        std::uint32_t index = 0;
        Span bytes;
    };
    /// Of a QP: what it has written that its program was not told to be durable, and what it has asked for that.
    struct Queue {
        std::uint64_t number = 0;  // a connection of the ledger
        std::uint64_t posted = 0;
        std::deque<Write> writes;
        std::size_t told = 0;  // of these, the first ones: they are written
        std::deque<Flush> flushes;
        std::deque<std::uint32_t> sends;  // that nothing has answered, where answers count
    };

    OfHost* peer_of(const rc::Qp& qp);
    void forget(unsigned host, rc::Qpn qp);
    void post_write(OfHost& there, Queue& queue, unsigned from, const rc::Qp& qp, std::uint32_t index,
                    const rc::SendWqe& wqe);
    static void post_flush(const OfHost& there, Queue& queue, std::uint32_t index, const rc::SendWqe& wqe);
    static void complete(OfHost& there, Queue& queue, std::uint32_t index, Time now);
    static void persist(OfHost& there, Queue& queue, const Flush& flush, Time now);

    const RunConfig& config_;
    const CutRequest request_;
    System* system_ = nullptr;                                    // not owned
    std::vector<std::unique_ptr<OfHost>> hosts_;                  // by number; null: it has no such path
    std::map<std::pair<unsigned, std::uint32_t>, Queue> queues_;  // by host and QP
    std::uint64_t connections_ = 0;
};

}  // namespace rnicsim::programs
