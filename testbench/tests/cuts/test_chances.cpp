// SPDX-License-Identifier: Apache-2.0
// The chance that a power cut loses what an initiator takes for written: of the time from an item to the next, the
// share from the telling until the data are durable. Window over period (P7).
#include "model/rnic/rc/end/end_config.h"
#include "testbench/tests/cuts/cut_rows.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::uint64_t kItems = 40;

RunConfig one_by_one(const std::string& scheme, bool until_pushed, Time hold = {}, std::uint64_t items = kItems) {
    RunConfig config =
        pair_of("depth: 1, size: 64 B, unsafe: true, transfers: " + std::to_string(items) + ", scheme: " + scheme,
                "personality: rc, rc: {inline: 0 B}");
    for (VerbsEndConfig& end : verbs_ends(config)) {
        end.host.posting = Posting::doorbell;
        end.host.persistence->ddio = false;
        end.host.persistence->iio.until_pushed = until_pushed;
        end.host.persistence->iio.hold = hold;
    }
    return config;
}

/// From when to when there is such a message.
struct Stretch {
    Time begin, end;
};

std::vector<Stretch> stretches(const std::vector<CutRow>& rows, CutState state) {
    std::vector<Stretch> all;
    bool is = false;
    for (const CutRow& row : rows) {
        if ((row.of(state) != 0) == is) continue;
        is = !is;
        if (is) all.push_back({row.time, row.time});
        all.back().end = row.time;
    }
    return all;
}

/// Of eight items in the middle: a card reads receive WQEs by eights, so their times differ.
struct OfEight {
    Time window, period;
};

OfEight of_eight(const std::vector<CutRow>& rows) {
    const std::vector<Stretch> lost = stretches(rows, CutState::vulnerable);
    REQUIRE(lost.size() == kItems);
    constexpr std::size_t kFrom = kItems / 2;
    OfEight all;
    for (std::size_t i = kFrom; i < kFrom + 8; ++i) all.window += lost[i].end - lost[i].begin;
    all.period = lost[kFrom + 8].begin - lost[kFrom].begin;
    return all;
}

struct Counted {
    std::int64_t vulnerable_ps = 0, ps = 0;
};

Counted counted_of(const RunConfig& config) {
    const auto all = in_child([&] {
        const RunResult r = simulate(config);
        return Counted{static_cast<std::int64_t>(counter(r, "b.cuts.vulnerable_ps")),
                       static_cast<std::int64_t>(counter(r, "b.cuts.ps"))};
    });
    REQUIRE(all);
    return *all;
}

}  // namespace

TEST_CASE("P7: the chance of a loss is window over period, to a cycle") {
    for (const char* const scheme : {"fig2", "fig3"}) {
        INFO(scheme);
        const RunConfig config = one_by_one(scheme, true);
        const double cycle = static_cast<double>(verbs_of(config, 1).card.clock.period().ps);
        const OfEight items = of_eight(rows_of(config));
        CHECK(items.window > kMicrosecond * 8);
        CHECK(items.period > items.window);
        // Without the first item, before which nothing has been told: of kItems behind as many.
        const Counted once = counted_of(config), twice = counted_of(one_by_one(scheme, true, {}, 2 * kItems));
        const double chance =
            static_cast<double>(twice.vulnerable_ps - once.vulnerable_ps) / static_cast<double>(twice.ps - once.ps);
        CHECK(std::abs(chance * static_cast<double>(items.period.ps) - static_cast<double>(items.window.ps)) <= cycle);
    }
}

TEST_CASE("P7: random cuts lose as often") {
    const RunConfig config = one_by_one("fig2", true);
    const std::vector<CutRow> rows = rows_of(config);
    const OfEight items = of_eight(rows);
    constexpr std::size_t kCuts = 2000;
    std::mt19937_64 draw(7);
    std::vector<Time> instants;
    const std::vector<Stretch> lost = stretches(rows, CutState::vulnerable);
    const Time length = lost.back().begin - lost.front().begin;  // a whole number of periods
    for (std::size_t i = 0; i < kCuts; ++i)
        instants.push_back(lost.front().begin +
                           Time{static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(length.ps))});
    std::ranges::sort(instants);
    const auto hit = in_child([&] {
        RunRequest request(config);
        request.cut.at = instants;
        std::size_t n = 0;
        for (const CutFinding& found : simulate(request).cuts.stopped)
            n += found.row.of(CutState::vulnerable) != 0 ? 1 : 0;
        return n;
    });
    REQUIRE(hit);
    const double chance = static_cast<double>(items.window.ps) / static_cast<double>(items.period.ps);
    const double deviation = std::sqrt(chance * (1 - chance) / kCuts);
    CHECK(std::abs(static_cast<double>(*hit) / kCuts - chance) < 4 * deviation);
}

TEST_CASE("P7: an IIO that holds data longer lengthens the window by as much; a WRITE_PERSIST has none") {
    const OfEight shorter = of_eight(rows_of(one_by_one("fig2", false, kMicrosecond * 5))),
                  longer = of_eight(rows_of(one_by_one("fig2", false, kMicrosecond * 6)));
    CHECK(longer.window - shorter.window == kMicrosecond * 8);
    CHECK(stretches(rows_of(one_by_one("fig10", true)), CutState::vulnerable).empty());
    CHECK(stretches(rows_of(one_by_one("fig2", false)), CutState::vulnerable).empty());  // eager: it has gone on before
}

}  // namespace rnicsim
