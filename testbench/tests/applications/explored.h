// SPDX-License-Identifier: Apache-2.0
// A connection of an application, in every order in which its two ends can see what comes.
#pragma once

#include "testbench/explore/applications/pair_world.h"
#include "testbench/explore/breadth_first.h"
#include "testbench/scenario/applications.h"
#include "testbench/tests/applications/pair_of.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

/// The first rule that is broken; empty: none is. Where none is, counts are the formula's in each end, unless there are
/// faults.
inline std::string explored(const RunConfig& config, std::vector<std::uint32_t> sizes, bool sleeps = false,
                            bool faults = false) {
    explore::PairPlan plan{protocol_of(config.traffic.at(0)), &config.traffic.at(0), std::move(sizes), sleeps, faults};
    explore::PairMoves moves;
    explore::BreadthFirst<explore::PairWorld, explore::PairMove, explore::PairMoves> search(
        explore::PairWorld(plan), moves, 2'000'000, "no way to the end");
    const auto found = search.run({});
    if (found.broken()) {
        std::string text = found.breaches.front().rule + ", behind";
        for (const explore::PairMove& move : found.breaches.front().trace)
            text += " " + std::string(explore::kPairStepNames.at(static_cast<std::size_t>(move.step))) + " of " +
                    (move.side % 2 == 0 ? "who asks," : "who answers,");
        return text;
    }
    REQUIRE(found.exhaustive);
    REQUIRE_FALSE(moves.ends.empty());
    if (faults) return {};
    for (const std::vector<applications::Counts>& of : moves.ends)
        if (const std::string wrong = explore::wrong_count(plan, of); !wrong.empty()) return wrong;
    return {};
}
inline std::string explored(const std::string& item, std::vector<std::uint32_t> sizes, bool sleeps = false) {
    return explored(pair_config(item, sleeps ? "  host.verbs.notify: events\n" : ""), std::move(sizes), sleeps);
}

/// ... where who asks may die, and waits may end early.
inline std::string explored_with_faults(const std::string& item, std::vector<std::uint32_t> sizes) {
    return explored(pair_config(item), std::move(sizes), false, true);
}

}  // namespace rnicsim
