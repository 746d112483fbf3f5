// SPDX-License-Identifier: Apache-2.0
// What all works of hosts with RoCEv2 RNICs share: where things lie in memory, and the judge of frames. Nobody waits
// for it to end.
#pragma once

#include "testbench/kits/rc/verbs_layout.h"
#include "testbench/kits/rc/wire_judge.h"
#include "testbench/workloads/work.h"

#include <algorithm>

namespace rnicsim {

class WireWork final : public Work {
  public:
    explicit WireWork(const RunConfig& config) : layout_(lay_out(config)), taken_(layout_.taken), wire_(config.names) {}
    [[nodiscard]] const VerbsLayout& layout() const { return layout_; }
    [[nodiscard]] WireJudge& wire() { return wire_; }
    /// By host, of works in the order in which they are made: a later one raises it.
    [[nodiscard]] std::vector<TakenOfHost>& taken() { return taken_; }

    void claim_memory(std::vector<std::uint64_t>& bytes) const override {
        for (std::size_t host = 0; host < bytes.size(); ++host) bytes[host] = std::max(bytes[host], taken_[host].bytes);
    }
    void attach(System& /*system*/) override {}
    [[nodiscard]] bool ended() const override { return true; }
    [[nodiscard]] Time last_progress() const override { return wire_.last_progress(); }
    [[nodiscard]] std::string violation() const override { return wire_.violation(); }

  private:
    const VerbsLayout layout_;
    std::vector<TakenOfHost> taken_;
    WireJudge wire_;
};

}  // namespace rnicsim
