// SPDX-License-Identifier: Apache-2.0
// V-P2, V-P6: firmware in the place of the persist module takes its time for each step, one after the other.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace rnicsim {
namespace {

struct Took {
    Time first, all;  ///< the first item; from its start to the end of the last one
    std::uint64_t false_items = 0;
};

std::optional<Took> took(const std::string& item, Time firmware, std::uint32_t outstanding = 16) {
    return in_child([&] {
        RunConfig config =
            pair_of("size: 64 B, unsafe: true, start: 10 us, " + item, "personality: rc, rc: {acknowledgement: each}");
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.persistence->ddio = false;
            end.card.transport.persist.firmware = firmware;
            end.card.transport.persist.outstanding = outstanding;
            end.card.transport.persist.timer = Time{};
        }
        const RunResult r = simulate(config);
        if (r.samples.back().failed()) throw RunError("an item has failed");
        return Took{r.samples.front().took(), r.samples.back().end - r.samples.front().start,
                    counter(r, "b.cuts.false_items")};
    });
}

}  // namespace

TEST_CASE("V-P2: a lone item takes a step of firmware more for each thing that the module does", "[network]") {
    struct Case {
        const char* item;
        int steps;
    };
    const Time step = kMicrosecond * 10;
    for (const Case& c : {Case{"scheme: fig10", 2}, Case{"scheme: fig10, acks: 2", 2}, Case{"scheme: flush", 2},
                          Case{"scheme: fig11", 1}, Case{"scheme: apm", 0}, Case{"scheme: fig2", 0},
                          Case{"scheme: fig3", 0}, Case{"scheme: gpspm", 0}}) {
        INFO(c.item);
        const std::string item = std::string(c.item) + ", transfers: 1, depth: 1";
        const auto logic = took(item, {}), once = took(item, step), twice = took(item, step * 2);
        REQUIRE(logic);
        REQUIRE(once);
        REQUIRE(twice);
        CHECK(twice->first - once->first == step * c.steps);
        // What the first step hides of the way of the data's last line is saved once.
        CHECK(once->first - logic->first <= step * c.steps);
        CHECK(once->first - logic->first >= step * c.steps - kMicrosecond);
        CHECK(twice->false_items == 0);
    }
}

TEST_CASE("V-P2: steps of firmware come one after the other, however many flush reads there may be", "[network]") {
    const Time step = kMicrosecond * 10;
    constexpr int kItems = 12;
    const std::string posted = ", depth: " + std::to_string(kItems) + ", transfers: " + std::to_string(kItems);
    for (const std::uint32_t outstanding : {1U, 16U}) {
        INFO(outstanding << " flush reads");
        const auto card = took("scheme: fig10" + posted, step, outstanding);
        REQUIRE(card);
        CHECK(card->all >= step * (2 * kItems));
        CHECK(card->all < step * (2 * kItems + 2));
        CHECK(card->false_items == 0);
    }
    const auto processor = took("scheme: fig11" + posted, step);
    REQUIRE(processor);
    CHECK(processor->all >= step * kItems);
    CHECK(processor->all < step * (kItems + 2));
}

}  // namespace rnicsim
