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

inline constexpr std::uint32_t kExploredPmtu = 1024;

/// The first rule that is broken; empty: none is. Where none is, counts are the formula's in each end.
inline std::string explored(const std::string& item, std::vector<std::uint32_t> sizes, bool sleeps = false) {
    const RunConfig config = pair_config(item, sleeps ? "  host.verbs.notify: events\n" : "");
    explore::PairPlan plan{protocol_of(config.traffic.at(0)), &config.traffic.at(0), std::move(sizes), sleeps};
    explore::PairMoves moves;
    explore::BreadthFirst<explore::PairWorld, explore::PairMove, explore::PairMoves> search(
        explore::PairWorld(plan), moves, 2'000'000, "no way to the end");
    const auto found = search.run({});
    if (found.broken()) {
        std::string text = found.breaches.front().rule + ", behind";
        for (const explore::PairMove& move : found.breaches.front().trace)
            text += " " + std::string(explore::kPairStepNames.at(static_cast<std::size_t>(move.step))) + " of " +
                    (move.side == 0 ? "who asks," : "who answers,");
        return text;
    }
    REQUIRE(found.exhaustive);
    REQUIRE_FALSE(moves.ends.empty());
    applications::Counts wanted = plan.application->expected(*plan.item, plan.sizes, kExploredPmtu);
    for (applications::Counts of : moves.ends) {
        for (unsigned side = 0; side < 2; ++side)
            for (std::size_t i = 0; i < applications::kCounts; ++i) {
                const auto what = static_cast<applications::Count>(i);
                if (what == applications::Count::payload_packets) continue;
                // Who answers may still have something to do when the last operation is over.
                const bool bound = side == 1 || plan.application->is_bound(*plan.item, what);
                if (bound ? of.at(side)[what] > wanted.at(side)[what] : of.at(side)[what] != wanted.at(side)[what])
                    return std::string(applications::kCountNames.at(i)) + " are not the formula's";
            }
    }
    return {};
}

}  // namespace rnicsim
