// SPDX-License-Identifier: Apache-2.0
// Rings behind a bridge, in runs: messages of all sizes, when they are there, what crosses, and what its faults do.
// Each run compares its counts with the formula, and every byte, by itself.
#include "testbench/records/run_result.h"
#include "testbench/tape/tape_text.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/applications/near_to_target.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

RunConfig ring(const std::string& item, const std::string& keys = {}, const std::string& bridge = {},
               const std::string& system = {}) {
    return near_to_target("application: nts, " + item + (keys.empty() ? "" : ", nts: {" + keys + "}"), bridge, system);
}
/// From the request to the user, of the last message.
std::int64_t latency(const std::string& item, const std::string& keys = {}) {
    return in_child([&] {
               const RunResult result = simulate(ring(item + ", depth: 1, transfers: 9, think: 10 us", keys));
               const Sample& last = result.samples.back();
               return (last.end - last.start).ps;
           })
        .value_or(-1);
}

}  // namespace

TEST_CASE("messages of all sizes come through a ring", "[applications]") {
    for (const char* const item : {"size: 1 B", "size: 8 B, depth: 8", "size: 4088 B, depth: 3", "size: 4089 B",
                                   "sizes: [1 B, 64 B, 100000 B], depth: 4", "size: 256 KiB, connections: 3"}) {
        for (const char* const keys :
             {"", "slot: 128 B, ring: 4 KiB", "slot: 1 KiB, ring: 16 KiB, align: packed, answer: true"}) {
            CAPTURE(item, keys);
            const std::size_t operations = std::string(item).ends_with("3") && item[0] == 's' &&
                                                   std::string(item).find("connections") != std::string::npos
                                               ? 60
                                               : 20;
            CHECK(in_child([&] {
                      return all_came(simulate(ring(std::string(item) + ", transfers: 20", keys)), operations);
                  }) == true);
        }
    }
}
TEST_CASE("the time of a message is that of its instructions, of the bridge, and of who polls", "[applications]") {
    // tx, copy of a line, evict and fence, header, fence's evict; down, 32 bytes, 80, 32; poll, rx.
    const std::int64_t ns = 1000;
    const std::int64_t expected =
        (41 * ns + 4'800 + 78 * ns + 1 * ns + 20 * ns) + (40 * ns + 2'031 + 112 * ns) + (100 * ns + 120 * ns);
    const std::int64_t found = latency("size: 8 B");
    CAPTURE(found);
    CHECK(found >= expected);
    CHECK(found <= expected + 30 * ns);  // edges of the hosts' clocks
    CHECK(latency("size: 8 B", "answer: true") > 2 * expected - 10 * ns);
}
TEST_CASE("what stores wait for is the core's time once: rings that share a thread have the bridge's rate",
          "[applications]") {
    // Gb/s of 1, for whatever number of connections.
    const auto rate = [](const std::string& connections) {
        return in_child([&] {
                   const RunResult result = simulate(ring("size: 128 KiB, transfers: 8, connections: " + connections,
                                                          "ring: 64 KiB", ", rate: 1 Gbps"));
                   std::uint64_t bytes = 0;
                   Time last;
                   for (const Sample& of : result.samples) {
                       bytes += of.bytes;
                       last = std::max(last, of.end);
                   }
                   return static_cast<double>(bytes) * 8'000 / static_cast<double>(last.ps);
               })
            .value_or(0);
    };
    for (const char* const connections : {"1", "2", "8"}) {
        CAPTURE(connections);
        CHECK(rate(connections) > 0.97);
        CHECK(rate(connections) < 1);
    }
}
TEST_CASE("messages come whoever has the indices, and however who reads learns of them", "[applications]") {
    for (const char* const index : {"ll", "lr", "rl", "rr", "shadow"}) {
        for (const char* const notify : {"poll", "doorbell"}) {
            if (notify == std::string("doorbell") && index[1] == 'r') continue;
            for (const char* const down : {"", ", down: {probability: 70 %, period: 200 us, duration: 30 us}"}) {
                const std::string keys =
                    std::string("slot: 1 KiB, ring: 16 KiB, answer: true, index: ") + index + ", notify: " + notify;
                CAPTURE(keys, down);
                CHECK(in_child([&] {
                          const RunResult result = simulate(ring("size: 5 KiB, transfers: 200, depth: 4", keys, down));
                          return all_came(result, 200) &&
                                 (counter(result, "n0.near_to_target_doorbells") > 0) == (notify[0] == 'd');
                      }) == true);
            }
        }
    }
}
TEST_CASE("what crosses are lines, and chunks of what is not one", "[applications]") {
    const auto writes = [](const char* item, const char* keys) {
        return in_child([&] {
                   const RunResult result = simulate(ring(std::string(item) + ", transfers: 10", keys));
                   return counter(result, "n0.near_to_target_writes");
               })
            .value_or(0);
    };
    CHECK(writes("size: 8 B", "") == 10 * 2);         // payload, header
    CHECK(writes("size: 56 B", "") == 10 * (7 + 1));  // the rest of a line is seven chunks
    CHECK(writes("size: 1016 B", "slot: 1 KiB") == 10 * (7 + 15 + 1));
    CHECK(writes("size: 1016 B", "slot: 1 KiB, align: packed") == 10 * (6 + 15 + 1 + 1));
}
TEST_CASE("a ring that is full waits for who reads", "[applications]") {
    CHECK(in_child([] {
              const RunResult result =
                  simulate(ring("size: 64 KiB, transfers: 30, depth: 4", "slot: 1 KiB, ring: 16 KiB"));
              return all_came(result, 30) && counter(result, "n0.target_to_near_writes") >= 30 * 65 / 16;
          }) == true);
}
TEST_CASE("nothing is taken before the memory has it", "[applications]") {
    const auto took = in_child([] {
        const RunResult result =
            simulate(ring("size: 64 KiB, transfers: 1", "", "", "  host: {memory: {bandwidth: 1 GB/s}}\n"));
        return (result.samples.at(0).end - result.samples.at(0).start).ps;
    });
    CHECK(took >= 65'536'000);  // 64 KiB at 1 GB/s
}
TEST_CASE("few credits make stores wait, and nothing is lost", "[applications]") {
    CHECK(in_child([] {
              const RunResult result = simulate(ring("size: 64 KiB, transfers: 10", "", ", credits: {headers: 2}"));
              return all_came(result, 10) && counter(result, "n0.near_to_target_credit_stalls") > 1000;
          }) == true);
}
TEST_CASE("without a fence the header may be there first", "[applications]") {
    CHECK_THROWS_MATCHES(
        simulate(ring("size: 200 B, transfers: 50", "fence: false, unsafe: true", ", credits: {headers: 1}")), RunError,
        MessageMatches(ContainsSubstring("finds other bytes than those of operation")));
}
TEST_CASE("a slot that is not zeroed is taken again", "[applications]") {
    CHECK_THROWS_AS(simulate(ring("size: 64 B, transfers: 50", "slot: 128 B, ring: 1 KiB, zero: false, unsafe: true")),
                    RunError);
}
TEST_CASE("who is not told how far the ring is read writes over it", "[applications]") {
    CHECK_THROWS_AS(simulate(ring("size: 64 B, transfers: 200, depth: 64",
                                  "slot: 128 B, ring: 1 KiB, push: false, rx: 1 us, unsafe: true")),
                    RunError);
}
TEST_CASE("a link that goes down loses no message, and none comes twice", "[applications]") {
    // Each run compares every byte, the order and the number of messages.
    for (const char* const item : {"size: 64 B, transfers: 3000, depth: 8", "size: 20 KiB, transfers: 300, depth: 3",
                                   "sizes: [1 B, 300 B, 9000 B], transfers: 900, depth: 5, connections: 3"}) {
        for (const char* const keys : {"slot: 128 B, ring: 4 KiB", "slot: 1 KiB, ring: 16 KiB, answer: true", ""}) {
            CAPTURE(item, keys);
            CHECK(in_child([&] {
                      const RunResult result =
                          simulate(ring(item, keys, ", down: {probability: 70 %, period: 100 us, duration: 20 us}"));
                      const std::uint64_t lost =
                          counter(result, "n0.near_to_target_dropped") + counter(result, "n0.target_to_near_dropped");
                      return lost > 0 && all_came(result, result.samples.size());
                  }) == true);
        }
    }
}
TEST_CASE("while a link is down messages go by TCP, and then by the ring again", "[applications]") {
    for (const char* const item : {"size: 64 B, transfers: 3000, depth: 8", "size: 20 KiB, transfers: 300, depth: 3",
                                   "sizes: [1 B, 300 B, 9000 B], transfers: 900, depth: 5, connections: 3"}) {
        for (const char* const keys : {"slot: 128 B, ring: 4 KiB", "slot: 1 KiB, ring: 16 KiB, answer: true",
                                       "answer: true, index: rl, notify: doorbell", "index: lr"}) {
            for (const char* const down :
                 {"70 %, period: 400 us, duration: 150 us", "100 %, period: 100 us, duration: 60 us"}) {
                CAPTURE(item, keys, down);
                CHECK(in_child([&] {
                          const RunResult result = simulate(ring(item, std::string(keys) + ", failover: true",
                                                                 std::string(", down: {probability: ") + down + "}"));
                          return all_came(result, result.samples.size());
                      }) == true);
            }
        }
    }
}
TEST_CASE("a message waits for a link that is down", "[applications]") {
    const auto last = in_child([] {
        RunConfig config = ring("size: 8 B, transfers: 1", "", "");
        config.tape = std::make_shared<FaultTape>(
            read_tape("rnicsim fault tape 2\nlink n0 DOWN 0 ps..5 ms\n", "tape", TapeNames(config)));
        const RunResult result = simulate(config);
        return counter(result, kTapeUnused) == 0 ? result.samples.at(0).end.ps : 0;
    });
    // The handler's 2 us at the receiver, its question, the answer, the message.
    CHECK(last >= 5'002'000'000);
    CHECK(last <= 5'004'000'000);
}
TEST_CASE("keys of a ring behind a bridge are read strictly", "[applications]") {
    const auto refused = [](const char* item, const std::string& why, const char* keys = "", const char* bridge = "",
                            const char* system = "") {
        CHECK_THROWS_WITH(ring(item, keys, bridge, system), ContainsSubstring(why));
    };
    refused("size: 8 B", "at least 65536 B: eight slots", "slot: 8 KiB, ring: 16 KiB");
    refused("size: 8 B", "expected true: the header may be there before the payload", "fence: false");
    refused("size: 8 B", "expected false: nothing is unsafe", "unsafe: true");
    refused("size: 8 B", "expected poll: who reads loads the index", "notify: doorbell, index: rr");
    refused("size: 8 B", "who reads says each time how far it is", "push_each: 7, index: rl");
    refused("size: 8 B", "no length says that a slot is full", "zero: false, unsafe: true, index: ll");
    const char* const late = "  host.software.interrupt_latency: 5 us\n";
    CHECK_THROWS_MATCHES(ring("size: 8 B", "", "", late), std::exception,
                         MessageMatches(ContainsSubstring("no bridge interrupts the host")));
    CHECK_NOTHROW(ring("size: 8 B", "notify: doorbell", "", late));
    CHECK_NOTHROW(ring("size: 8 B", "", ", down: {probability: 1 %, duration: 20 us}", late));
    const char* const uncached = "  host: {cpu: {store: {mapping: uncached, buffers: 4}}}\n";
    refused("size: 8 B", "stores are not combined", "", "", uncached);
    refused("size: 8 B", "the link is never down", "", ", down: {duration: 20 us}");
    refused("size: 8 B", "expected at most the period", "",
            ", down: {probability: 1 %, period: 100 us, duration: 200 us}");
    refused("size: 8 B", "more than host.software.interrupt_latency", "",
            ", down: {probability: 1 %, period: 1 ms, duration: 10 us}",
            "  host: {software: {interrupt_latency: 12 us}}\n");
    refused("size: 8 B, transfers: 3", "there are not so many slots", "push_each: 7");
    refused("size: 16 MiB, depth: 16, connections: 2", "all of a host have");
    refused("size: 8 B", "headers ask before", "slot: 128 B, ring: 1 KiB, push_each: 5");
    refused("size: 8 B, transfers: 100", "no slot is used twice", "zero: false, unsafe: true");
    refused("size: 8 B, transfers: 100", "all messages have room", "push: false, unsafe: true");
}
TEST_CASE("a bridge joins two hosts, and something goes over it", "[applications]") {
    const auto refused = [](const std::string& bridges, const std::string& why, const char* application = "nts",
                            const char* hosts = "{near: {}, target: {}, far: {count: 2}}") {
        const std::string text = std::string(R"(
system:
  rnic: {profile: cx5_100g}
  hosts: )") + hosts + R"(
  switches: {s0: {}}
  links: [{between: [near, s0]}, {between: [target, s0]}, {between: [far, s0]}]
  bridges: )" + bridges + R"(
run:
  traffic: [{from: near, to: target, application: )" +
                                 application + "}]\n";
        CAPTURE(bridges);
        CHECK_THROWS_WITH(run_config(ScenarioFile(text).load(), 0, 0, 0), ContainsSubstring(why));
    };
    refused("[{between: [near, nobody]}]", "system.bridges.near-nobody: found 'nobody', expected a host");
    refused("[{between: [near, far]}]", "expected one of the group's hosts, such as far0");
    refused("[{name: b0, between: [near, s0]}]", "found 's0', expected a host");
    refused("[{between: [near, near]}]", "joins a host with itself, expected two hosts");
    refused("[{between: [near]}]", "found 1 names, expected two");
    refused("[]", "found an empty list, expected a list of items such as {name: n0, between: [near, target]}");
    refused("[{between: [near, target], lane: 4}]", "unknown key");
    refused("[{name: near, between: [near, target]}]", "is the name of a host, switch or link too");
    refused("[{name: s0, between: [near, target]}]", "is the name of a host, switch or link too");
    refused("[{between: [near, target], lanes: 3}]", "system.bridges.near-target.lanes: found '3'");
    refused("[{between: [near, target]}, {between: [near, target]}]", "a second bridge 'near-target'");
    refused("[{between: [near, target]}, {name: n1, between: [target, near]}]", "expected one bridge between");
    refused("[{between: [near, target]}, {between: [near, far0]}]", "system.bridges.near-far0: no item goes over it");
    refused("[{between: [near, far0]}]", "system.bridges.near-far0: no item goes over it");
    refused("[{between: [near, target]}]", "no item goes over it", "echo");
    refused("[{between: [near, target]}, {between: [near, far0]}]", "which has a plain RNIC", "nts",
            "{near: {}, target: {}, far: {count: 2, rnic: {personality: plain}}}");
}
