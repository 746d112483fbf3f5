// SPDX-License-Identifier: Apache-2.0
// Whom the hosts ask, and how soon: patterns, drawn permutations, and the pace of transfers.
#include "model/random.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/star.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/cycles.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace rnicsim {
namespace {

TrafficConfig permuted(unsigned hosts) {
    TrafficConfig item;
    item.from.clear();
    for (unsigned host = 0; host < hosts; ++host) item.from.push_back(host);
    item.to = item.from;
    item.pairs = Pairs::permutation;
    return item;
}

std::vector<unsigned> asked_by_each(const TrafficConfig& item) {
    std::vector<unsigned> asked;
    for (const unsigned host : item.from) {
        const std::vector<unsigned> of = item.responders(host);
        asked.insert(asked.end(), of.begin(), of.end());
    }
    return asked;
}

TEST_CASE("a host is asked by those who have it among their responders", "[network]") {
    for (const Pairs pairs : {Pairs::all, Pairs::ring, Pairs::tree, Pairs::opposite, Pairs::permutation}) {
        for (const bool drawn : {false, true}) {
            for (const std::vector<unsigned>& to : {std::vector{0U, 1U, 2U, 3U, 4U, 5U, 6U}, std::vector{9U, 3U}}) {
                TrafficConfig item = permuted(7);
                item.to = to;
                item.pairs = pairs;
                if (drawn) item.draw_pairs({3, 1}, 0);
                for (unsigned host = 0; host < 10; ++host) {
                    std::vector<unsigned> asking;
                    for (const unsigned from : item.from) {
                        const std::vector<unsigned> of = item.responders(from);
                        if (std::ranges::find(of, host) != of.end()) asking.push_back(from);
                    }
                    CHECK(item.initiators(host) == asking);
                }
            }
        }
    }
}

TEST_CASE("a permutation among hosts: each is asked once, never by itself", "[network]") {
    std::set<std::vector<unsigned>> seen;
    for (std::uint64_t repetition = 0; repetition < 500; ++repetition) {
        TrafficConfig item = permuted(5);
        item.draw_pairs({7, repetition}, 0);
        std::vector<unsigned> asked = asked_by_each(item);
        REQUIRE(asked.size() == 5);  // nobody was left out for asking itself
        seen.insert(asked);
        std::ranges::sort(asked);
        REQUIRE(asked == item.from);
    }
    CHECK(seen.size() == 24);  // all circles of five
}

TEST_CASE("a permutation of others has any order, and serves more askers than it has hosts", "[network]") {
    std::set<std::vector<unsigned>> seen;
    for (std::uint64_t repetition = 0; repetition < 100; ++repetition) {
        TrafficConfig item = permuted(6);
        item.from = {0, 1, 2, 3, 4, 5};
        item.to = {7, 8, 9};
        CHECK(item.responders(0) == item.to);  // not drawn: it may be anyone
        item.draw_pairs({7, repetition}, 2);
        std::vector<unsigned> asked = asked_by_each(item);
        seen.insert(asked);
        REQUIRE(std::vector(asked.begin(), asked.begin() + 3) == std::vector(asked.begin() + 3, asked.end()));
    }
    CHECK(seen.size() == 6);
}

TEST_CASE("other items and other numbers have other draws; patterns without draws stay", "[network]") {
    TrafficConfig first = permuted(40), second = permuted(40), ring = permuted(40);
    ring.pairs = Pairs::ring;
    first.draw_pairs({1, 0}, 0);
    second.draw_pairs({1, 0}, 1);
    ring.draw_pairs({1, 0}, 0);
    CHECK(asked_by_each(first) != asked_by_each(second));
    CHECK(ring.responders(39) == std::vector{0U});
}

TEST_CASE("a permutation among five hosts runs, and each has its transfers with one other", "[network]") {
    RunConfig config = star(4, 8'192, 3);
    config.traffic[0] = permuted(5);
    config.traffic[0].size = 8'192;
    config.traffic[0].transfers = 3;
    config.traffic[0].draw_pairs({config.seed, config.repetition}, 0);
    std::map<unsigned, std::set<unsigned>> partners;
    for (const Sample& t : simulate(config).samples) {
        CHECK_FALSE(t.failed());
        partners[t.initiator].insert(t.responder);
    }
    REQUIRE(partners.size() == 5);
    for (const auto& [initiator, responders] : partners) CHECK(responders.size() == 1);
}

TEST_CASE("the pace of transfers: request n waits for the bytes of those before it", "[network]") {
    RunConfig config = star(2, 10'000, 30);
    config.traffic[0].pace = 300'000'000;  // 10,000 B in 266 2/3 us
    config.traffic[0].in_flight = 4;
    const RunResult result = simulate(config);
    CHECK(result.samples.size() == 60);
    std::map<unsigned, std::int64_t> first, number;
    for (const Sample& t : result.samples) {
        first.try_emplace(t.initiator, in_cycles(t.start));
        const std::int64_t n = number[t.initiator]++;
        CHECK(in_cycles(t.start) == first[t.initiator] + (n * 100'000 + 2) / 3);  // cycles of 8 ns, rounded up
    }
}

TEST_CASE("a pace beyond what the wire takes changes nothing", "[network]") {
    RunConfig config = star(2, 10'000, 5);
    const Outcome as_fast = simulate_apart(config);
    config.traffic[0].pace = 100'000'000'000;
    const Outcome paced = simulate_apart(config);
    REQUIRE(as_fast.ran);
    CHECK(as_fast.completed == 10);
    CHECK(paced.fingerprint == as_fast.fingerprint);
    config.traffic[0].pace = 1'000'000;
    CHECK(simulate_apart(config).fingerprint != as_fast.fingerprint);
}

TEST_CASE("initiators that start at random: each by itself, within the bound, and anew in each repetition",
          "[network]") {
    TrafficConfig item = permuted(4);
    item.start = Cycle{100};
    item.stagger = Cycle{1'000};
    item.random_start = Cycle{9};
    std::set<std::vector<Cycle>> seen;
    std::set<std::int64_t> drawn;
    for (std::uint64_t repetition = 0; repetition < 200; ++repetition) {
        item.draw_starts({7, repetition}, 0);
        seen.insert(item.drawn_starts);
        for (unsigned host = 0; host < 4; ++host) {
            const std::int64_t later = (item.first_request(host) - Cycle{1 + 100 + 1'000 * std::int64_t{host}}).n;
            REQUIRE(later >= 0);
            REQUIRE(later <= 9);
            drawn.insert(later);
        }
    }
    CHECK(drawn.size() == 10);  // both ends of it, too
    CHECK(seen.size() > 190);
    TrafficConfig other = item;
    item.draw_starts({7, 1}, 0);
    other.draw_starts({7, 1}, 1);
    CHECK(item.drawn_starts != other.drawn_starts);
    item.random_start = Cycle{};
    item.draw_starts({7, 1}, 0);
    CHECK(item.first_request(2) == Cycle{1 + 100 + 2'000});
}

}  // namespace
}  // namespace rnicsim
