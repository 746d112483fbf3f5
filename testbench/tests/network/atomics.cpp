// SPDX-License-Identifier: Apache-2.0
// Which atomics wait for each other at a card (V-S8).
#include "testbench/records/run_result.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

namespace rnicsim {
namespace {

/// FADDs of so many clients to words of one server, one for each connection; their programs cost nothing.
RunConfig adds(const std::string& order, const std::string& clients, const std::string& connections) {
    return run_config(
        ScenarioFile("system:\n  rnic: {profile: cx5_100g, rc: {atomic_order: " + order +
                     "}}\n  host: {verbs: {page: 2 MiB, post: 0 ns, push: 0 ns, poll: 0 ns}}\n  link: {rate: 100 Gbps, "
                     "delay: 50 ns}\n  switch: {latency: 300 ns, mtu: 4200 B, buffer: 16 MiB}\n  hosts: {server: {}, "
                     "client: {count: " +
                     clients +
                     "}}\n  switches: {s0: {}}\n  links: [{between: [client, s0]}, {between: [server, s0]}]\nrun: "
                     "{depth: 16, traffic: [{from: client, to: server, size: 8 B, operation: fetch_add, transfers: 60, "
                     "connections: " +
                     connections + "}]}\n")
            .load(),
        0, 0, 0);
}

/// When the last one has ended, picoseconds.
double end_of(const std::string& order, const std::string& clients, const std::string& connections) {
    const auto last = in_child([&] {
        Time end;
        for (const Sample& f : simulate(adds(order, clients, connections)).samples) end = std::max(end, f.end);
        return end.ps;
    });
    REQUIRE(last);
    return static_cast<double>(*last);
}

}  // namespace

TEST_CASE("V-S8: atomics of different words do not wait for each other where the card goes by address", "[network]") {
    const double card = end_of("card", "8", "8"), address = end_of("address", "8", "8");
    INFO(card << " ps one at a time, " << address << " ps by address");
    CHECK(address < card / 4);
}

TEST_CASE("V-S8: ... but those of a word do", "[network]") {
    CHECK(end_of("card", "1", "1") == end_of("address", "1", "1"));
}

}  // namespace rnicsim
