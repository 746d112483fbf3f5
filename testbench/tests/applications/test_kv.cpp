// SPDX-License-Identifier: Apache-2.0
// Keys and values between two hosts: what each transport costs, rounds of the memory that is written, loss, dead peers.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

RunConfig kv(const std::string& keys, const std::string& system = {}, const std::string& item = "size: 3 B") {
    return pair_config("application: kv, transfers: 200, " + item + ", kv: {" + keys + "}", system);
}
/// Of the last operation.
Time last(const std::string& keys, const std::string& system = {}, const std::string& item = "size: 3 B, depth: 1") {
    const std::optional<Time> took = in_child([&] { return simulate(kv(keys, system, item)).samples[199].took(); });
    REQUIRE(took);
    return *took;
}
constexpr const char* kTransports[] = {"transport: tcp", "transport: rdma",
                                       "transport: rdma, rx_size: 640 B, receives: 18"};

}  // namespace

TEST_CASE("kv: each value comes, and the parts of a sample are its time", "[applications]") {
    for (const std::string transport : kTransports) {
        const std::string events = transport == kTransports[0] ? "" : ", verbs.notify: events";
        for (const char* const operation : {", operation: get", ", operation: set"}) {
            CHECK(in_child([&] {
                      const RunResult result =
                          simulate(kv(transport + operation, "  host: {cpu: {profile: xeon_2018}" + events + "}\n",
                                      "sizes: [3 B, 1 B, 5000 B], depth: 4, connections: 3"));
                      return result.samples.size() == 600 && std::ranges::all_of(result.samples, [](const Sample& of) {
                                 return !of.failed() && std::accumulate(of.parts.begin(), of.parts.end(),
                                                                        std::int64_t{0}) == of.took().ps;
                             });
                  }) == true);
        }
    }
}
TEST_CASE("kv: under loss each value comes", "[applications]") {
    for (const std::string transport : kTransports) {
        CHECK(in_child([&] {
                  const RunResult result =
                      simulate(kv(transport, "  link.loss: 1 %\n", "sizes: [3 B, 3000 B], depth: 2, connections: 2"));
                  return result.samples.size() == 400 && std::ranges::none_of(result.samples, &Sample::failed);
              }) == true);
    }
}
TEST_CASE("kv: a command costs what its computing costs", "[applications]") {
    for (const std::string transport : kTransports) {
        const Time before = last(transport + ", client_work: 2400 ns");
        CHECK((last(transport + ", client_work: 2400 ns, server_work: 4 us") - before).ps == 2'400'000);
        CHECK((last(transport + ", client_work: 4 us") - before).ps == 1'600'000);
    }
}
TEST_CASE("kv: the rest of a command waits until the memory it fills has been read", "[applications]") {
    // 199 commands of 36 B fill 111 times 64 B and 60 B: the last one has 4 B of room.
    CHECK(last("rx_size: 64 B") > last("rx_size: 128 KiB"));
}
TEST_CASE("kv: who takes the room of what has not been read destroys it", "[applications]") {
    CHECK_THROWS_MATCHES(simulate(kv("operation: set, room: taken, unsafe: true, rx_size: 64 B, receives: 64",
                                     "  host: {cpu: {profile: xeon_2018}}\n", "size: 3000 B, depth: 4")),
                         RunError, MessageMatches(ContainsSubstring("finds other bytes")));
}
TEST_CASE("kv: if nothing comes through, operations fail", "[applications]") {
    for (const std::string transport : kTransports) {
        CHECK(in_child([&] {
                  const RunResult result = simulate(kv(transport, "  link.loss: 99.99 %\n"));
                  return std::ranges::any_of(result.samples, &Sample::failed);
              }) == true);
    }
}
