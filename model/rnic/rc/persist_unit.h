// SPDX-License-Identifier: Apache-2.0
// Makes data durable for the decisions: its module decides which flush reads there are, and this one has them done. A
// read is answered behind all writes before it: what it was sent after has left the PCIe link for memory (PCIe base
// specification 2.4.1).
#pragma once

#include "model/rnic/common/pcie_endpoint.h"
#include "model/rnic/rc/config.h"
#include "model/rnic/rc/persist/persist_engine.h"
#include "model/rnic/rc/rc_transport.h"
#include "tlm/inbox.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace rnicsim::rc {

class PersistUnit final : private DmaClient {
  public:
    PersistUnit(const PersistConfig& config, const Clock& clock, PcieEndpoint& pcie, FramePool& frames,
                RcTransport& transport, RcActions& actions, std::unique_ptr<PersistEngine> module)
        : clock_(clock),
          step_(clock.edge(config.firmware)),
          same_line_(config.same_line),
          attributes_{config.flush_no_snoop, false, config.flush_class},
          pcie_(pcie),
          frames_(frames),
          transport_(transport),
          actions_(actions),
          module_(std::move(module)) {}

    [[nodiscard]] bool has_room() const { return module_->has_room(); }
    /// `posted`: when all that was asked to be written so far has been posted.
    void ask(const PersistJob& job, Cycle posted) {
        module_->accept({job.qp, job.psn, same_line_ ? job.address.value_or(kDram) : kDram});
        posted_.push({}, posted);
    }
    /// What the QP had asked for is not wanted any more.
    void drop(Qpn qp) { module_->drop(qp); }

    /// A step that is asked for at `at`; behind those that were asked for before. Returns when it is done.
    Cycle step(Cycle at) { return free_ = std::max(free_, at) + step_; }
    [[nodiscard]] Cycle free_at() const { return free_; }

    /// Sends the flush reads that may go.
    void issue(Cycle now);
    /// ... and tells what is durable. True: something is, and there is room again.
    bool run(Cycle now);
    [[nodiscard]] Cycle next_due() const { return std::min(posted_.next_due(), steps_.next_due()); }
    [[nodiscard]] bool idle() const { return posted_.empty() && steps_.empty() && reading_ == 0; }
    [[nodiscard]] std::uint64_t reads() const { return reads_; }

  private:
    /// There is DRAM on every host.
    static constexpr std::uint64_t kDram = 0;
    /// In place of a tag: the last write of the oldest job has been posted.
    static constexpr std::uint32_t kPosted = PersistEngine::kMostReads;

    void read_done(Cycle now, std::uint64_t context, FrameRef frame) override;

    const Clock clock_;
    const Cycle step_;
    const bool same_line_;
    const TlpAttributes attributes_;  // of flush reads
    PcieEndpoint& pcie_;
    FramePool& frames_;
    RcTransport& transport_;
    RcActions& actions_;
    std::unique_ptr<PersistEngine> module_;
    Inbox<std::monostate> posted_;  // one for each job, in the order in which they were asked for
    Inbox<std::uint32_t> steps_;    // tags of flush reads that have come back, and kPosted: when they are done
    Cycle free_;                    // the last step is done
    std::uint32_t reading_ = 0;
    std::uint64_t reads_ = 0;
};

}  // namespace rnicsim::rc
