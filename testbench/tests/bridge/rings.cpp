// SPDX-License-Identifier: Apache-2.0
// Rings over a bridge: with all their rules each is safe in every order of events, without any one of them it is not.
#include "testbench/explore/breadth_first.h"
#include "testbench/explore/ntb/ring_ladder.h"
#include "testbench/explore/ntb/ring_set.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using explore::RingBounds;

namespace {

explore::Found<explore::RingMove> searched(const explore::RingSetting& setting) {
    explore::RingMoves moves;
    return explore::BreadthFirst<explore::RingWorld, explore::RingMove, explore::RingMoves>(
               explore::RingWorld(setting), moves, 5'000'000, std::string(explore::kNeverComes))
        .run({});
}
bool is_safe(const explore::RingSetting& setting) {
    const auto found = searched(setting);
    return found.exhaustive && !found.broken();
}
const explore::WrongRing& wrong(std::string_view name) {
    return *std::ranges::find(explore::wrong_rings(), name, &explore::WrongRing::name);
}

}  // namespace

TEST_CASE("each rule that is left out is missed, by the shortest way", "[bridge]") {
    struct Found {
        std::string_view name;
        std::size_t steps;
        std::string_view rule;
    };
    constexpr std::string_view kTorn = "NI3: a message is torn", kTwice = "NI3: a message is taken twice",
                               kEarly = "NI3: a message is taken before it has come";
    const std::array<Found, 24> all{{{"H1", 4, kTorn},
                                     {"H2", 5, kTorn},
                                     {"H3", 24, explore::kNeverComes},
                                     {"H4", 41, kTwice},
                                     {"H5", 53, explore::kNeverComes},
                                     {"H6", 27, "NI4: a slot is filled again that has not been read"},
                                     {"H7", 29, explore::kNeverComes},
                                     {"H8", 28, explore::kNeverComes},
                                     {"H9", 6, kEarly},
                                     {"H9r", 11, kEarly},
                                     {"H10", 7, kTorn},
                                     {"H10z", 64, kTwice},
                                     {"H11", 11, "NI3: what is taken is no message"},
                                     {"H12", 33, explore::kNeverComes},
                                     {"H8r", 42, explore::kNeverComes},
                                     {"H13", 10, kTorn},
                                     {"H14", 53, kTwice},
                                     {"H15", 43, "NI3: what is taken is no message"},
                                     {"H16", 20, "NI5: the reader's index is ahead of what is read"},
                                     {"H17", 46, explore::kNeverComes},
                                     {"H18", 58, kTorn},
                                     {"H19", 39, kTwice},
                                     {"H20", 33, kTwice},
                                     {"H21", 16, kTwice}}};
    REQUIRE(explore::wrong_rings().size() == all.size());
    for (const Found& of : all) {
        CAPTURE(of.name);
        const explore::NamedRing ring = explore::ring_of(wrong(of.name), wrong(of.name).bounds);
        const auto found = searched(ring.setting);
        REQUIRE(found.broken());
        CHECK(found.breaches.front().rule == of.rule);
        CHECK(found.breaches.front().trace.size() == of.steps);
        CHECK_THAT(explore::draw_ring(ring.setting, found.breaches.front().trace, of.rule.data()),
                   ContainsSubstring("! " + std::string(of.rule)));
    }
}
TEST_CASE("rings with all rules are safe", "[bridge]") {
    // Those with more than 100,000 states are left to rnicsim explore --personality ntb.
    for (const explore::NamedRing& ring : explore::standard_rings()) {
        if (ring.name.find("packed") != std::string::npos && ring.name.find("chunks") != std::string::npos) continue;
        if (ring.name.starts_with("r") && ring.name.find("held") == std::string::npos) continue;
        CAPTURE(ring.name);
        CHECK(is_safe(ring.setting));
    }
}
TEST_CASE("rings with all rules are safe when their link fails, and when their receiver begins anew", "[bridge]") {
    for (const auto& [downs, resets] : {std::pair{1, 0}, std::pair{0, 1}}) {
        for (const explore::NamedRing& ring :
             explore::faulty_rings(static_cast<std::uint8_t>(downs), static_cast<std::uint8_t>(resets))) {
            CAPTURE(ring.name);
            CHECK(is_safe(ring.setting));
        }
    }
    CHECK(is_safe(explore::ring_of(RingBounds{.downs = 1, .resets = 1}).setting));
}
TEST_CASE("without faults nobody misses the rules that are against them", "[bridge]") {
    for (const std::string_view name : {"H8r", "H13", "H14", "H15", "H16", "H17", "H18", "H19", "H20", "H21"}) {
        RingBounds bounds = wrong(name).bounds;
        bounds.downs = bounds.resets = 0;
        bounds.partial = PartialLine::one_tlp;
        CAPTURE(name);
        CHECK(is_safe(explore::ring_of(wrong(name), bounds).setting));
    }
}
TEST_CASE("bits of a doorbell merge, and what a link that is down loses is shown", "[bridge]") {
    const auto drawn = [](std::string_view name) {
        const explore::NamedRing ring = explore::ring_of(wrong(name), wrong(name).bounds);
        return explore::draw_ring(ring.setting, searched(ring.setting).breaches.front().trace, "");
    };
    CHECK_THAT(drawn("H12"), ContainsSubstring("doorbell, merged"));
    CHECK_THAT(drawn("H13"), ContainsSubstring("link down") && ContainsSubstring("8 B at slot 0+8 ----------x"));
}
TEST_CASE("a fault hides where lines leave at once, or when they have to", "[bridge]") {
    const auto other = [](std::string_view name, const RingBounds& bounds) {
        return is_safe(explore::ring_of(wrong(name), bounds).setting);
    };
    nts::RingShape one_line;
    one_line.slot = one_line.line = 32;
    nts::RingRules no_fence;
    no_fence.fence_before_header = false;
    const auto without_fence = [&](PartialLine partial) {
        return is_safe(
            {explore::RingPlan(one_line, no_fence, std::array{1U, 3U, 2U, 3U}), {2, 32, partial}, false, false});
    };
    CHECK(without_fence(PartialLine::one_tlp));
    CHECK_FALSE(without_fence(PartialLine::chunks));
    // A slot of two lines leaves in any order even so.
    CHECK_FALSE(other("H2", {.partial = PartialLine::one_tlp}));
    CHECK(other("H3", {}));  // somebody evicts the last header some time
    CHECK_FALSE(other("H12", {.notify = nts::Notify::doorbell, .held = true}));
}
TEST_CASE("completions that pass writes matter only where the receiver loads an index", "[bridge]") {
    for (const nts::Index index : {nts::Index::ll, nts::Index::rl}) {
        explore::NamedRing ring = explore::ring_of(RingBounds{.index = index, .partial = PartialLine::one_tlp});
        ring.setting.relaxed = true;
        CHECK(is_safe(ring.setting));
    }
    explore::NamedRing loads = explore::ring_of(RingBounds{.index = nts::Index::lr});
    loads.setting.relaxed = true;
    CHECK_FALSE(is_safe(loads.setting));
}
TEST_CASE("a message of more slots than are free without a push waits for ever", "[bridge]") {
    const auto is_safe_with = [](std::uint32_t slots) {
        nts::RingShape shape;
        shape.slots = slots;
        shape.slot = shape.line = 32;
        const std::vector<std::uint32_t> words{1, 1, 4};  // the last one has two
        CHECK((shape.most_slots() >= shape.slots_of(words.back() * nts::kWord)) == (slots == 5));
        return is_safe({explore::RingPlan(shape, {}, words), {2, 32, PartialLine::one_tlp}, true, false});
    };
    CHECK_FALSE(is_safe_with(4));
    CHECK(is_safe_with(5));
}
