// SPDX-License-Identifier: Apache-2.0
// When the initiators of an item start: at random where there are several, in lockstep where that is asked for.
#include "testbench/scenario/scenario.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

namespace rnicsim {
namespace {

/// Plain hosts whose links differ; `item`: what stands beside `from` and `to`, `from`: who sends.
RunConfig starting_star(const std::string& from, const std::string& item, std::uint32_t repetition = 0) {
    const std::string text =
        "system:\n"
        "  rnic: {personality: plain}\n"
        "  hosts: {sink: {}, lone: {}, source: {count: 4}}\n"
        "  switches: {s0: {}}\n"
        "  links:\n"
        "    - {between: [sink, s0]}\n"
        "    - {between: [lone, s0]}\n"
        "    - {between: [source, s0], rate: 100 Gbps}\n"
        "    - {of: source2-s0, rate: 10 Gbps}\n"
        "run:\n"
        "  traffic:\n"
        "    - {from: " +
        from + ", " + item + "}\n";
    return run_config(ScenarioFile(text).load(), 0, 0, repetition);
}

Cycle latest_start(const RunConfig& config) { return config.traffic.at(0).random_start; }

TEST_CASE("several initiators start within a transfer on the slowest of their links", "[scenario]") {
    // 1000 B at 10 Gb/s: 800 ns, 100 cycles. The sink has 1 Gb/s, and sends nothing.
    CHECK(latest_start(starting_star("source", "to: sink, size: 1000 B")) == Cycle{100});
    CHECK(latest_start(starting_star("source", "to: sink, size: 1001 B")) == Cycle{101});  // 100.1, rounded up
    CHECK(latest_start(starting_star("source", "to: sink, size: 1000 B, random_start: auto")) == Cycle{100});
    CHECK(latest_start(starting_star("source", "to: source, size: 1000 B")) == Cycle{100});
}

TEST_CASE("one initiator does not wait, and nobody where lockstep is asked for", "[scenario]") {
    CHECK(latest_start(starting_star("lone", "to: source, size: 1000 B")) == Cycle{});
    CHECK(latest_start(starting_star("source0", "to: sink, size: 1000 B")) == Cycle{});
    CHECK(latest_start(starting_star("source", "to: sink, size: 1000 B, random_start: 0 ns")) == Cycle{});
    CHECK(latest_start(starting_star("source", "to: sink, size: 1000 B, random_start: 80 ns")) == Cycle{10});
    const RunConfig two = ScenarioFile("run: {direction: both}\n").load().points.at(0).configs.front();
    CHECK(two.traffic.at(0).random_start == Cycle{});  // the form with two ends has no such key
}

TEST_CASE("the first of a tree asks nobody: of two, one initiates", "[scenario]") {
    const auto tree_of = [](const char* count) {
        return ScenarioFile(
                   "system: {rnic: {personality: plain}, hosts: {h: {count: 2}}, switches: {s0: {}}, "
                   "links: [{between: [h, s0]}]}\n"
                   "run: {size: 1000 B, traffic: [{from: h, to: h, pairs: tree}]}\n")
            .load({{"system.hosts.h.count", count}})
            .points.at(0)
            .configs.front();
    };
    CHECK(latest_start(tree_of("2")) == Cycle{});
    CHECK(latest_start(tree_of("3")) == Cycle{1000});  // 8 us at 1 Gb/s
}

TEST_CASE("messages of several sizes: a transfer is the largest one", "[scenario]") {
    const RunConfig config = ScenarioFile(
                                 "system: {rnic: {profile: cx5_100g}, link: {rate: 100 Gbps}, hosts: {server: {}, "
                                 "client: {count: 2}}, switches: {s0: {mtu: 4200 B}}, links: [{between: [server, s0]}, "
                                 "{between: [client, s0]}]}\n"
                                 "run: {sizes: [64 B, 10000 B], traffic: [{from: client, to: server}]}\n")
                                 .load()
                                 .points.at(0)
                                 .configs.front();
    CHECK(latest_start(config) == Cycle{100});  // 800 ns
}

TEST_CASE("by default each repetition starts its initiators anew", "[scenario]") {
    std::set<std::int64_t> starts;
    for (std::uint32_t repetition = 0; repetition < 3; ++repetition) {
        const RunConfig config = starting_star("source", "to: sink, size: 1500 B, transfers: 1", repetition);
        for (const unsigned host : config.traffic.at(0).from) {
            const std::int64_t start = config.traffic.at(0).first_request(host).n;
            CHECK(start >= 1);
            CHECK(start <= 1 + 150);
            starts.insert(start);
        }
    }
    CHECK(starts.size() > 8);  // of twelve, drawn out of 151
}

TEST_CASE("a start that is no time is refused with one that is", "[scenario]") {
    try {
        static_cast<void>(starting_star("source", "to: sink, random_start: never"));
        FAIL("accepted");
    } catch (const ScenarioError& error) {
        CHECK(std::string(error.what())
                  .find("random_start: found 'never', expected a time with a unit, such as 1 s, "
                        "or auto") != std::string::npos);
    }
}

}  // namespace
}  // namespace rnicsim
