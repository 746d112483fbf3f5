// SPDX-License-Identifier: Apache-2.0
// Keys and values through rings behind a bridge: each comes, what that takes, what is beside it, what is refused. Each
// run compares its counts with the formula, and every byte, by itself.
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/applications/pair_of.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdint>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kXeon = "  host: {cpu: {profile: xeon_2018}}\n";
const std::string kOften = ", down: {probability: 70 %, period: 200 us, duration: 30 us}";

std::string bridged(const std::string& bridge = {}) {
    return "  bridges: [{name: n0, between: [client, server]" + bridge + "}]\n";
}
std::string over_rings(const std::string& item, const std::string& keys = {}, const std::string& kv = {},
                       const std::string& system = bridged()) {
    return pair_text(
        "application: kv, " + item + ", kv: {transport: nts" + kv + "}" + (keys.empty() ? "" : ", nts: {" + keys + "}"),
        system);
}
RunConfig config_of(const std::string& text) { return run_config(ScenarioFile(text).load(), 0, 0, 0); }
/// Of the last of a few operations, far from one another.
std::int64_t last_takes(const std::string& item, const std::string& system = bridged()) {
    const std::string alone = "transfers: 9, depth: 1, think: 10 us, " + item;
    return in_child([&] { return simulate(config_of(pair_text(alone, system))).samples.back().took().ps; })
        .value_or(-1);
}

}  // namespace

TEST_CASE("kv over rings: each value comes, and the parts of a sample are its time", "[applications]") {
    for (const char* const keys :
         {"", "slot: 128 B, ring: 4 KiB", "mode: origin, slot: 256 B, ring: 16 KiB", "mode: direct, align: packed",
          "index: ll, slot: 1 KiB, ring: 16 KiB", "index: rr", "index: rl, notify: doorbell"}) {
        for (const char* const operation : {", operation: get", ", operation: set"}) {
            CAPTURE(keys, operation);
            CHECK(in_child([&] {
                      const std::string text =
                          over_rings("transfers: 100, sizes: [3 B, 1 B, 5000 B], depth: 4, connections: 3", keys,
                                     operation, bridged() + kXeon);
                      return all_came(simulate(config_of(text)), 300);
                  }) == true);
        }
    }
}
TEST_CASE("kv over rings: a link that goes down loses no command, by TCP meanwhile or not", "[applications]") {
    for (const char* const keys : {"slot: 128 B, ring: 4 KiB", "failover: true", "index: lr, failover: true"}) {
        CAPTURE(keys);
        CHECK(in_child([&] {
                  const RunResult result =
                      simulate(config_of(over_rings("transfers: 400, sizes: [3 B, 5000 B], depth: 4, connections: 2",
                                                    keys, ", server_work: 1 us", bridged(kOften))));
                  const std::uint64_t lost =
                      counter(result, "n0.client_to_server_dropped") + counter(result, "n0.server_to_client_dropped");
                  return lost > 0 && all_came(result, 800);
              }) == true);
    }
}
TEST_CASE("kv over rings: a command takes its computing, and what its messages take in rings", "[applications]") {
    // A GET has 18 B, its key and 2 B; the answer of 3 B has 9 B.
    const std::string ring = "application: nts, size: ";
    const std::int64_t messages = last_takes(ring + "36 B") + last_takes(ring + "9 B");
    const std::int64_t work = 1'600'000 + 2'200'000, edges = 4 * 10'000;
    const std::int64_t found = last_takes("application: kv, size: 3 B, kv: {transport: nts}");
    CAPTURE(found, messages);
    CHECK(found >= work + messages - edges);
    CHECK(found <= work + messages + edges);
    CHECK(last_takes("application: kv, size: 3 B, kv: {transport: nts, server_work: 4 us}") - found == 2'400'000);
}
TEST_CASE("kv over rings: what crosses are messages and their headers", "[applications]") {
    const auto result = in_child([] {
        const RunResult of = simulate(config_of(over_rings("transfers: 10, size: 3 B, depth: 1")));
        return counter(of, "n0.client_to_server_writes") * 1000 + counter(of, "n0.server_to_client_writes");
    });
    CHECK(result == 10 * (5 + 1) * 1000 + 10 * (2 + 1));  // chunks of 8 B
}
TEST_CASE("kv over rings beside kv by RDMA, by TCP, and messages of the same hosts", "[applications]") {
    const std::string ring = over_rings("transfers: 50, size: 3000 B, depth: 4");
    for (const char* const other :
         {"application: kv, size: 3000 B, kv: {transport: rdma}", "application: kv, size: 3000 B, kv: {transport: tcp}",
          "operation: write, size: 3000 B"}) {
        CAPTURE(other);
        CHECK(in_child([&] {
                  const std::string before = "    - {name: other, from: client, to: server, transfers: 50, ";
                  const std::size_t at = ring.find("    - {name: all");
                  const RunResult both =
                      simulate(config_of(ring.substr(0, at) + before + other + "}\n" + ring.substr(at)));
                  return both.samples.size() == 100 && std::ranges::none_of(both.samples, &Sample::failed);
              }) == true);
    }
}
TEST_CASE("kv over rings: keys without effect are refused, and what cannot be together", "[applications]") {
    const auto refused = [](const std::string& text, const std::string& why) {
        CHECK_THAT(rejection(text), ContainsSubstring(why));
    };
    const std::string item = "transfers: 100, size: 3 B";
    refused(over_rings(item, "", "", ""),
            "kv.transport: found 'nts', expected one bridge between 'client' and 'server'");
    for (const char* const key : {"rx_size: 64 KiB", "receives: 100", "signal_every: 2", "room: taken", "unsafe: true"})
        refused(over_rings(item, "", std::string(", ") + key),
                "has no effect: commands go through rings, expected kv.transport: rdma");
    for (const char* const key : {"partitions: 2", "batch: 1", "slicing: false", "priority: 1", "max_rounds: 1",
                                  "queue: 1", "flow_control: false", "hand_over: 1 us"})
        refused(over_rings(item, key), "has no effect: each connection of kv has rings of its own");
    for (const char* const key : {"fence: false", "zero: false", "push: false", "unsafe: true"})
        refused(over_rings(item, key), "has no effect: rings of kv keep their rules");
    refused(over_rings(item, "answer: true"), "has no effect: a server answers each command");
    refused(over_rings(item, "serve: 1 us"), "has no effect: programs work on commands, expected kv.server_work");
    refused(over_rings(item, "push_each: 300"), "has no effect: there are not so many slots");
    refused(over_rings(item, "failover: true"), "has no effect: no bridge's link is ever down");
    refused(over_rings(item, "mode: direct"), "expected shm: the hosts' copies take no time");
    refused(over_rings(item, "slot: 8 KiB, ring: 16 KiB"), "at least 65536 B: eight slots");
    refused(over_rings(item, "index: rr, notify: doorbell"), "expected poll: who reads loads the index");
    refused(over_rings("size: 16 MiB, depth: 16, connections: 2"), "all of a host have");
    refused(over_rings(item, "", "", bridged() + "  host.verbs.notify: events\n"), "kv looks at its memory");
    for (const char* const transport : {"tcp", "rdma"})
        refused(pair_text(std::string("application: kv, size: 3 B, nts: {slot: 1 KiB}, kv: {transport: ") + transport +
                          "}"),
                "expected kv.transport: nts");
    refused(pair_text("application: kv, size: 3 B", bridged()), "no item goes over it");
    refused(over_rings(item) + "    - {name: n, from: client, to: server, application: nts, size: 3 B}\n",
            "'client' has the item 'all' over a bridge as well, of application kv");
}
TEST_CASE("kv over rings: a window reaches all that a host has there, beside kv's RDMA, or the run is refused",
          "[applications]") {
    const auto text = [](unsigned rings) {
        std::string of =
            over_rings("transfers: 3, size: 8 B, depth: 1, connections: " + std::to_string(rings), "ring: 64 MiB");
        return of.insert(
            of.find("    - {name: all"),
            "    - {name: other, from: client, to: server, transfers: 3, size: 8 B, depth: 1, connections: 3, "
            "application: kv, kv: {transport: rdma}}\n");
    };
    // Seven rings of each host are 448 MiB, eight are all of the window, 512.
    CHECK(in_child([&] { return all_came(simulate(config_of(text(7))), (7 + 3) * 3); }) == true);
    CHECK_THAT(rejection(text(8)), ContainsSubstring("and a window of a bridge 524288 KiB"));
}
