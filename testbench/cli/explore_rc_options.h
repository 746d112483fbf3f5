// SPDX-License-Identifier: Apache-2.0
// The bounds of `rnicsim explore --personality rc`, and what is explored within them.
#pragma once

#include "testbench/explore/rc/standard_set.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim::runner {

struct RcBounds {
    std::vector<std::string> ops, others;
    std::uint32_t receives = 0;
    std::string service = "rc";
    rc::Workload workload;
    bool each_rule = false;

    /// psn_only cannot hold all rules: it is shown which break, and how.
    [[nodiscard]] bool wants_each_rule() const {
        return each_rule || workload.persist.mode.pack == rc::PersistPack::psn_only;
    }
};

/// `bounds` has to outlive the command.
void add_rc_bounds(CLI::App& group, RcBounds& bounds);
/// One workload, or one for each pair, within these bounds. Throws where options contradict each other.
std::vector<rc::AnyWorkload> workloads_of(const RcBounds& bounds, const CLI::App& given);

}  // namespace rnicsim::runner
