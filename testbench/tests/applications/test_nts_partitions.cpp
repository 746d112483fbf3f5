// SPDX-License-Identifier: Apache-2.0
// Connections that share the rings of a partition: all that is sent comes, whole and to whom it was sent; who waits for
// whom; placement. Each run judges every byte, and compares what is counted with the formula.
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

std::string partitions_text(std::initializer_list<std::string> items, const std::string& system = {},
                            const std::string& bridge = {}) {
    std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {near: {}, target: {}}
  links: [{between: [near, target]}]
  bridges: [{name: n0, between: [near, target])" +
                       bridge + "}]\n" + system + "run:\n  repetitions: 1\n  traffic:\n";
    for (const std::string& item : items) text += "    - {" + item + "}\n";
    return text;
}
RunConfig partitions_of(std::initializer_list<std::string> items, const std::string& system = {},
                        const std::string& bridge = {}) {
    return run_config(ScenarioFile(partitions_text(items, system, bridge)).load(), 0, 0, 0);
}
const std::string kThere = "from: near, to: target, application: nts, ";

/// Of an item, from the request to the user.
std::int64_t median_of(const RunResult& result, std::uint16_t item) {
    std::vector<std::int64_t> all;
    for (const Sample& of : result.samples)
        if (of.item == item) all.push_back((of.end - of.start).ps);
    std::ranges::sort(all);
    return all.at(all.size() / 2);
}

}  // namespace

TEST_CASE("messages of connections that share rings come, each to its own", "[applications]") {
    for (const char* const item : {"size: 8 B, connections: 2", "size: 5000 B, connections: 5, depth: 3",
                                   "sizes: [1 B, 300 B, 9000 B], connections: 12, depth: 4"}) {
        for (const char* const keys : {"partitions: 1", "partitions: 1, answer: true, slot: 128 B, ring: 1 KiB",
                                       "partitions: 1, slicing: false, answer: true, index: rl, notify: doorbell",
                                       "partitions: 1, batch: 1, hand_over: 0 ns, index: lr"}) {
            CAPTURE(item, keys);
            const std::uint64_t connections = std::string(item).find("12") != std::string::npos   ? 12
                                              : std::string(item).find("5,") != std::string::npos ? 5
                                                                                                  : 2;
            CHECK(in_child([&] {
                      return all_came(simulate(partitions_of({kThere + item + ", transfers: 30, nts: {" + keys + "}"})),
                                      30 * connections);
                  }) == true);
        }
    }
}
TEST_CASE("partitions of several threads, items, both ways: all come", "[applications]") {
    const char* const threads = "  host: {verbs: {threads: 3}, cpu: {cores: 3}}\n";
    for (const char* const down : {"", ", down: {probability: 70 %, period: 300 us, duration: 40 us}"}) {
        for (const char* const failover : {"false", "true"}) {
            if (*down == '\0' && failover[0] == 't') continue;
            const std::string nts = std::string("partitions: 3, ring: 16 KiB, slot: 256 B, failover: ") + failover;
            CAPTURE(down, failover);
            CHECK(in_child([&] {
                      return all_came(
                          simulate(partitions_of(
                              {kThere + "name: a, size: 2000 B, connections: 7, depth: 2, transfers: 40, nts: {" + nts +
                                   ", priority: 3}",
                               kThere + "name: b, size: 90 B, connections: 5, depth: 3, transfers: 60, nts: {" + nts +
                                   ", answer: true}",
                               "from: target, to: near, application: nts, name: c, size: 700 B, connections: 4, depth: "
                               "2, transfers: 50, nts: {" +
                                   nts + "}"},
                              threads, down)),
                          7 * 40 + 5 * 60 + 4 * 50);
                  }) == true);
        }
    }
}
TEST_CASE("a short message behind a long one: slices let it go before the rest", "[applications]") {
    const auto of_small = [](const std::string& keys, bool beside) {
        return in_child([&] {
                   const std::string nts = ", nts: {slot: 1 KiB, partitions: 1" + keys + "}";
                   return median_of(
                       simulate(partitions_of({kThere + "name: small, size: 8 B, transfers: 60, think: 5 us" +
                                                   (beside ? "" : ", connections: 2") + nts,
                                               beside ? kThere + "name: big, size: 60 KiB, transfers: 60" + nts
                                                      : kThere + "name: other, size: 8 B, transfers: 2" + nts})),
                       0);
               })
            .value_or(0);
    };
    const std::int64_t alone = of_small("", false), by_one = of_small(", batch: 1", true),
                       by_batch = of_small("", true), whole = of_small(", slicing: false", true);
    CAPTURE(alone, by_one, by_batch, whole);
    CHECK(alone > 0);
    CHECK(alone < by_one);
    CHECK(by_one < by_batch);
    CHECK(by_batch < whole);
}
TEST_CASE("priorities: the first goes before, and with turns of its own the last one moves", "[applications]") {
    struct Of {
        std::int64_t first_over = 0;  // the high flow's last message
        std::int64_t last_moves = 0;  // the low flow's first one
        std::int64_t high_takes = 0;
    };
    const auto times = [](const char* rounds) {
        return in_child([&] {
                   const std::string nts = std::string(", nts: {slot: 1 KiB, partitions: 1, batch: 1, max_rounds: ") +
                                           rounds + ", priority: ";
                   const RunResult result = simulate(
                       partitions_of({kThere + "name: high, size: 4000 B, depth: 8, transfers: 300" + nts + "0}",
                                      kThere + "name: low, size: 4000 B, depth: 8, transfers: 300" + nts + "5}"}));
                   Of of{0, kEndOfTime.ps, median_of(result, 0)};
                   for (const Sample& one : result.samples) {
                       if (one.item == 0) of.first_over = std::max(of.first_over, one.end.ps);
                       if (one.item == 1) of.last_moves = std::min(of.last_moves, one.end.ps);
                   }
                   return of;
               })
            .value();
    };
    const Of strict = times("0"), bound = times("64"), in_turn = times("1");
    CAPTURE(strict.first_over, strict.last_moves, bound.last_moves, in_turn.last_moves);
    CHECK(strict.last_moves > strict.first_over);
    CHECK(bound.last_moves < bound.first_over);
    CHECK(in_turn.last_moves < bound.last_moves);
    CHECK(in_turn.high_takes > strict.high_takes);
}
TEST_CASE("equal flows over partitions: their rate grows with the threads that send", "[applications]") {
    const auto took = [](const char* partitions) {
        return in_child([&] {
                   const std::string threads = std::string("  host: {verbs: {threads: ") + partitions +
                                               "}, cpu: {cores: " + partitions + "}}\n";
                   const RunResult result =
                       simulate(partitions_of({kThere + "size: 56 B, connections: 12, depth: 8, transfers: 100, nts: " +
                                               "{slot: 128 B, partitions: " + partitions + "}"},
                                              threads));
                   return std::ranges::max_element(result.samples, {}, &Sample::end)->end.ps;
               })
            .value_or(0);
    };
    const std::int64_t one = took("1"), two = took("2"), four = took("4");
    CAPTURE(one, two, four);
    CHECK(one > 19 * two / 10);
    CHECK(two > 19 * four / 10);
}
TEST_CASE("a message in a partition is handed over twice", "[applications]") {
    const auto took = [](const char* hand_over) {
        return in_child([&] {
                   return median_of(
                       simulate(partitions_of(
                           {kThere + "size: 8 B, connections: 2, depth: 1, transfers: 20, think: 20 us, nts: " +
                            "{partitions: 1, hand_over: " + hand_over + "}"})),
                       0);
               })
            .value_or(0);
    };
    const std::int64_t none = took("0 ns"), more = took("1 us");
    CHECK(none > 0);
    CHECK(more - none >= 2'000'000 - 20'000);
    CHECK(more - none <= 2'000'000 + 20'000);
}
TEST_CASE("a program that takes slowly: with flow control all come, without it what finds no room is lost",
          "[applications]") {
    struct Came {
        std::uint64_t completed = 0, failed = 0;
    };
    const auto came = [](const std::string& keys) {
        return in_child([&] {
                   const RunResult result = simulate(partitions_of(
                       {kThere + "size: 300 B, connections: 3, depth: 40, transfers: 100, nts: {partitions: 1, " +
                        keys + "}"},
                       "  host: {verbs: {threads: 3}, cpu: {cores: 3, profile: xeon_2018}}\n"));
                   const auto failed = std::ranges::count_if(result.samples, &Sample::failed);
                   return Came{result.samples.size() - static_cast<std::uint64_t>(failed),
                               static_cast<std::uint64_t>(failed)};
               })
            .value();
    };
    for (const char* const queue : {"1", "2", "3", "7", "12"}) {
        const std::string keys = std::string("serve: 3 us, queue: ") + queue;
        CAPTURE(queue);
        for (const char* const more : {"", ", answer: true", ", mode: direct, index: rl", ", slot: 128 B, ring: 1 KiB",
                                       ", index: lr, answer: true", ", index: rr", ", notify: doorbell",
                                       ", notify: doorbell, index: ll, answer: true"}) {
            CAPTURE(more);
            const Came all = came(keys + more);
            CHECK(all.completed == 300);
        }
        const Came some = came(keys + ", flow_control: false");
        CHECK(some.failed > 0);
        CHECK(some.completed >= 3 * 100 / 40);
    }
}
TEST_CASE("without flow control a queue holds as many as it says, and one more is at its program", "[applications]") {
    for (const std::uint64_t queue : {1U, 5U, 20U}) {
        CAPTURE(queue);
        CHECK(in_child([&] {
                  // The first connection has the thread of the rings.
                  const std::string nts = ", nts: {partitions: 1, flow_control: false, queue: " + std::to_string(queue);
                  const RunResult result = simulate(partitions_of(
                      {kThere + "name: first, size: 8 B, depth: 40, transfers: 1" + nts + "}",
                       kThere + "name: slow, size: 8 B, depth: 40, transfers: 40" + nts + ", serve: 1 ms}"},
                      "  host: {verbs: {threads: 2}, cpu: {cores: 2}}\n"));
                  return static_cast<std::uint64_t>(std::ranges::count_if(
                      result.samples, [](const Sample& of) { return of.item == 1 && !of.failed(); }));
              }) == 1 + queue);
    }
}
TEST_CASE("a connection whose program is slow does not hold up others in its partition", "[applications]") {
    const auto of_fast = [](const char* serve) {
        return in_child([&] {
                   const RunResult result = simulate(partitions_of(
                       {kThere + "name: fast, size: 300 B, depth: 4, transfers: 400, nts: {partitions: 1}",
                        kThere +
                            "name: slow, size: 300 B, depth: 32, transfers: 40, nts: {partitions: 1, queue: 8, "
                            "serve: " +
                            serve + "}"},
                       "  host: {verbs: {threads: 2}, cpu: {cores: 2}}\n"));
                   return median_of(result, 0);
               })
            .value_or(0);
    };
    const std::int64_t beside_fast = of_fast("0 ns"), beside_slow = of_fast("50 us");
    CAPTURE(beside_fast, beside_slow);
    CHECK(beside_fast > 0);
    CHECK(beside_slow <= beside_fast);
}
TEST_CASE("a message takes as long as its copies: none, from the ring, also at each program", "[applications]") {
    const auto took = [](const std::string& keys) {
        return in_child([&] {
                   return median_of(
                       simulate(partitions_of({kThere + "size: 4000 B, depth: 1, transfers: 9, nts: {" + keys + "}"},
                                              "  host: {cpu: {profile: xeon_2018}}\n")),
                       0);
               })
            .value_or(0);
    };
    for (const char* const more : {"", ", answer: true"}) {
        const std::string mode = "mode: ";
        const std::int64_t direct = took(mode + "direct" + more), shm = took(mode + "shm" + more),
                           origin = took(mode + "origin" + more);
        CAPTURE(more, direct, shm, origin);
        CHECK(direct > 0);
        CHECK(shm > direct);
        // Two more than the one from the ring.
        CHECK(origin - shm > 19 * (shm - direct) / 10);
        CHECK(origin - shm < 21 * (shm - direct) / 10);
    }
}
TEST_CASE("keys of partitions are read strictly", "[applications]") {
    const auto refused = [](const std::string& what, std::initializer_list<std::string> items) {
        CAPTURE(what);
        CHECK_THROWS_MATCHES(partitions_of(items), std::exception, MessageMatches(ContainsSubstring(what)));
    };
    const std::string two = "size: 8 B, connections: 2, nts: ";
    refused("each connection has rings of its own", {kThere + two + "{batch: 3}"});
    refused("each connection has rings of its own", {kThere + two + "{slicing: false}"});
    refused("each connection has rings of its own", {kThere + two + "{priority: 1}"});
    refused("each connection has rings of its own", {kThere + two + "{max_rounds: 1}"});
    refused("each connection has rings of its own", {kThere + two + "{hand_over: 1 us}"});
    refused("each connection has rings of its own", {kThere + two + "{queue: 1}"});
    refused("each connection has rings of its own", {kThere + two + "{flow_control: false}"});
    refused("no more messages than run.depth", {kThere + two + "{partitions: 1, queue: 100}"});
    refused("no more messages than run.depth", {kThere + two + "{partitions: 1, flow_control: false}"});
    refused("what is lost has no answer",
            {kThere + two + "{partitions: 1, queue: 2, flow_control: false, answer: true}"});
    refused("a turn is a message", {kThere + two + "{partitions: 1, slicing: false, batch: 3}"});
    refused("less than the 2 connections", {kThere + two + "{partitions: 2}"});
    refused("has another run.nts.priority", {kThere + two + "{partitions: 1, priority: 2}"});
    refused("has another run.nts.priority", {kThere + two + "{partitions: 1, max_rounds: 2}"});
    const std::string one = "size: 8 B, nts: ";
    refused(
        "has another run.nts.priority",  // b is alone
        {kThere + "name: a, " + one + "{partitions: 2}", kThere + "name: b, " + one + "{partitions: 2, priority: 3}",
         kThere + "name: c, " + one + "{partitions: 2}"});
    refused("copies take no time", {kThere + two + "{mode: origin}"});
    refused("copies take no time", {kThere + two + "{mode: direct}"});
    refused("the same run.nts as in item 'b'", {kThere + "name: a, " + two + "{partitions: 1}",
                                                kThere + "name: b, " + two + "{partitions: 1, slot: 1 KiB}"});
}
