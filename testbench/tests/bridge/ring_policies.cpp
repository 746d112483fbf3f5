// SPDX-License-Identifier: Apache-2.0
// Which bounds show what a rule of a ring is for: within those that hide it no order of events misses it.
#include "testbench/explore/breadth_first.h"
#include "testbench/explore/ntb/ring_set.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace rnicsim;
using explore::RingBounds;
using explore::WrongRing;

namespace {

const WrongRing& policy(std::string_view name) {
    return *std::ranges::find(explore::wrong_rings(), name, &WrongRing::name);
}
bool misses_nothing(const WrongRing& wrong, RingBounds bounds) {
    bounds.partial = PartialLine::one_tlp;
    explore::RingMoves moves;
    const auto found = explore::BreadthFirst<explore::RingWorld, explore::RingMove, explore::RingMoves>(
                           explore::RingWorld(explore::ring_of(wrong, bounds).setting), moves, 5'000'000,
                           std::string(explore::kNeverComes))
                           .run({});
    return found.exhaustive && !found.broken();
}

}  // namespace

TEST_CASE("where a rule shows no bound hides it, and what hides it says what would not", "[bridge]") {
    for (const WrongRing& wrong : explore::wrong_rings()) {
        CAPTURE(wrong.name);
        CHECK(explore::hidden_by(wrong, wrong.bounds).empty());
        RingBounds bounds = wrong.bounds;
        bounds.downs = bounds.resets = 0;
        const bool of_faults = wrong.bounds.downs + wrong.bounds.resets != 0;
        CHECK(explore::hidden_by(wrong, bounds).empty() == !of_faults);
    }
    CHECK(explore::hidden_by(policy("H14"), {}) == "--downs or --resets, 1 in all");
    CHECK(explore::hidden_by(policy("H18"), {.resets = 1}) == "--downs or --resets, 2 in all");
    CHECK(explore::hidden_by(policy("H13"), {.resets = 1}) == "--downs 1");
    CHECK(explore::hidden_by(policy("H2"), {.index = nts::Index::rl}) == "--index shadow");
    CHECK(explore::hidden_by(policy("H9r"), {.index = nts::Index::ll}) == "--index lr or rr");
    CHECK(explore::hidden_by(policy("H12"), {}) == "--notify doorbell");
}
TEST_CASE("rules of lengths are missed by no ring with an index, and those of an index by none without", "[bridge]") {
    for (const std::string_view name : {"H1", "H2", "H4", "H5", "H10", "H10z", "H11"}) {
        RingBounds bounds = policy(name).bounds;
        bounds.index = nts::Index::ll;
        CAPTURE(name);
        CHECK_FALSE(explore::hidden_by(policy(name), bounds).empty());
        CHECK(misses_nothing(policy(name), bounds));
    }
    for (const std::string_view name : {"H9", "H9r"}) {
        CAPTURE(name);
        CHECK_FALSE(explore::hidden_by(policy(name), {}).empty());
        CHECK(misses_nothing(policy(name), {}));
    }
    const RingBounds polled, rung{.notify = nts::Notify::doorbell, .held = true};
    CHECK(misses_nothing(policy("H12"), polled));
    CHECK(misses_nothing(policy("H3"), rung));
}
TEST_CASE("rules of faults are missed by none without these faults", "[bridge]") {
    const RingBounds reset{.resets = 1};
    CHECK(misses_nothing(policy("H13"), reset));
    CHECK(misses_nothing(policy("H18"), reset));
    CHECK(misses_nothing(policy("H16"), {.index = nts::Index::rr, .resets = 1}));
    CHECK(misses_nothing(policy("H17"), reset));
}
