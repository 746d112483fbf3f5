// SPDX-License-Identifier: Apache-2.0
// Crashes of an initiator at many instants, from one run: shortly before each a copy of the process is made, in which
// the host crashes and which goes on until all has come to rest. The run itself goes on to the next instant.
#pragma once

#include "model/config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "model/system.h"
#include "testbench/processes/forked_text.h"
#include "testbench/records/crash_request.h"
#include "testbench/workloads/persistence/mortal_host.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

namespace rnicsim {

class Crashes {
  public:
    /// Both must outlive it.
    Crashes(const RunConfig& config, const CrashRequest& crash) : crash_(crash), host_(config, crash) {}

    void attach(System& system) { host_.attach(verbs_end(system, crash_.host).host); }
    /// What is in place of the run's faults, which must outlive it.
    FaultSource& over(FaultSource& faults) { return host_.over(faults); }

    /// When the next copy has to be made; kEndOfTime: none.
    [[nodiscard]] Time next_copy() const;
    /// Makes those that are due. `rest`: goes on to the end, and says what is left then. Throws as
    /// ForkedText::wait() for a copy that has not come to rest.
    void make_copies(Time now, const std::function<CrashLeft()>& rest);
    /// All copies have been made: nothing more is to be learned from this run.
    [[nodiscard]] bool ended() const { return !is_copy_ && !crash_.at.empty() && made_ == crash_.at.size(); }
    /// Is this a copy whose host has crashed? Then nobody waits for what does not come any more.
    [[nodiscard]] bool crashed() const { return host_.crashed(); }

    /// By instant. `end`: what is left at the end of the run, of which nothing is lost by a crash behind it.
    [[nodiscard]] std::vector<CrashLeft> finish(const CrashLeft& end);
    [[nodiscard]] CrashActs acts() const { return host_.acts(); }

  private:
    void collect();

    const CrashRequest& crash_;
    MortalHost host_;
    bool is_copy_ = false;
    std::size_t made_ = 0;
    std::deque<ForkedText> running_;
    std::vector<CrashLeft> left_;  // of those that have come to rest, by instant
};

}  // namespace rnicsim
