// SPDX-License-Identifier: Apache-2.0
// A connection that waits for ever: whose fault is it? Its own, unless memory that its ends share joins it, from host
// to host, with a connection that has died.
#include "testbench/tests/scenario/scenario_file.h"

#include "testbench/records/run_result.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

/// Four hosts, two ends of each host share its memory; the connection from a to b dies.
RunResult run_beside_a_dead_one(const std::string& items) {
    const std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {a: {}, b: {}, c: {}, d: {}}
  switches: {top: {mtu: 4200 B, buffer: 1 MiB, priorities: 8, pfc: {classes: [3]}}}
  links: [{between: [a, top]}, {between: [b, top]}, {between: [c, top]}, {between: [d, top]}]
  rnic.rc.inline: 0 B
run:
  repetitions: 1
  traffic:
    - {name: dies, from: a, to: b, application: wrong, transfers: 3, wrong: {fault: strays}}
)" + items;
    return simulate(run_config(ScenarioFile(text).load(), 0, 0, 0));
}
std::string mute(const std::string& name, const std::string& from, const std::string& to) {
    return "    - {name: " + name + ", from: " + from + ", to: " + to +
           ", application: wrong, transfers: 3, wrong: {fault: mute}}\n";
}

}  // namespace

TEST_CASE("who shares no memory with a connection that has died waits by its own fault", "[applications]") {
    CHECK_THROWS_MATCHES(run_beside_a_dead_one(mute("waits", "c", "d")), RunError,
                         MessageMatches(ContainsSubstring("item waits, c to d, connection 0: both ends wait, and "
                                                          "operation 0 is not over (lost wake-up)")));
}
TEST_CASE("who waits for one that has died fails, and who waits for that one, too", "[applications]") {
    const RunResult result = run_beside_a_dead_one(mute("next", "b", "c") + mute("last", "c", "d"));
    CHECK(result.samples.size() == 9);
    CHECK(std::ranges::all_of(result.samples, &Sample::failed));
}
