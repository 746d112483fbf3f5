// SPDX-License-Identifier: Apache-2.0
// `rnicsim explore --personality ntb`: rings over a bridge, with every rule, or without one.
#pragma once

#include "testbench/explore/ntb/ring_set.h"
#include "testbench/sweep/sweep.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rnicsim::runner {

/// As they are given.
struct NtbBounds {
    std::string policy;  ///< of wrong_rings(), or "all"; empty: none is left out
    std::optional<nts::Index> index;
    std::optional<nts::Align> align;
    std::optional<nts::Notify> notify;
    std::optional<PartialLine> partial;
    std::optional<std::uint32_t> buffers, downs, resets;
    bool several_slots = false, held = false, stream = false;
};

struct NtbExploreOptions {
    struct Ring {
        explore::NamedRing of;
        std::string hidden{};   ///< bounds that would show what is wrong with it; empty: it is explored
        bool is_wrong = false;  ///< a rule is left out, and an order of events may miss it
    };
    std::vector<Ring> rings;
    std::size_t max_states = 0;
    bool list = false;
    bool each = false;  ///< goes on behind a broken rule, and draws no ladders
};

/// The options of such; `bounds` outlives the parsing.
void add_ntb_bounds(CLI::App& group, NtbBounds& bounds);
/// What they say; the standard set where they say nothing. Throws CLI::ValidationError if nothing would be shown.
std::vector<NtbExploreOptions::Ring> rings_of(const NtbBounds& bounds, const CLI::App& group);

/// A line for each ring. At the first broken rule it draws the way there, and returns kSimulationFailed. kIncomplete:
/// max_states ended a search.
ExitCode explore_ntb(const NtbExploreOptions& options);

}  // namespace rnicsim::runner
