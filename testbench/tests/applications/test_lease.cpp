// SPDX-License-Identifier: Apache-2.0
// Memory that ends share, and atomics on it: has one client the lease at a time, and is it found if two have?
#include "testbench/tests/applications/explored.h"
#include "testbench/tests/applications/lease.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr const char* kLease = "application: lease, transfers: 10, size: 64 B";

/// All clients have had the lease as often as they asked for it.
bool all_have_had_it(const std::string& keys, const std::string& system, std::size_t samples) {
    return in_child([&] {
               const RunResult result = simulate(pair_config(kLease + keys, system));
               return result.samples.size() == samples && std::ranges::none_of(result.samples, &Sample::failed);
           }) == true;
}

}  // namespace

TEST_CASE("clients have the lease one at a time in every order", "[applications]") {
    CHECK(explored("application: lease, size: 64 B", {64, 64, 64}) == "");
    CHECK(explored("application: lease, size: 64 B, connections: 2", {64}) == "");
}
TEST_CASE("two that have the lease at once are found in some order", "[applications]") {
    CHECK_THAT(explored("application: lease, size: 64 B, connections: 2, lease: {looks: false}", {64}),
               Catch::Matchers::StartsWith("two clients have the lease"));
}
TEST_CASE("clients have the lease in turn, under loss, too", "[applications]") {
    CHECK(all_have_had_it("", "", 10));
    CHECK(all_have_had_it(", connections: 8", "", 80));
    CHECK(all_have_had_it(", connections: 8", "  link.loss: 1 %\n", 80));
}
TEST_CASE("two that have the lease at once are found", "[applications]") {
    CHECK_THROWS_MATCHES(simulate(pair_config(std::string(kLease) + ", connections: 8, lease: {looks: false}")),
                         RunError, MessageMatches(ContainsSubstring("two clients have the lease")));
}
TEST_CASE("memory that ends share has one length, else both are named", "[applications]") {
    const std::string text = pair_text(
        "application: lease, size: 64 B}\n"
        "    - {name: more, from: client, to: server, application: lease, size: 100 B");
    CHECK_THAT(rejection(text),
               ContainsSubstring("run.traffic.more: found memory of 'server' that who answers in 'all' has as 80 B and "
                                 "who answers in 'more' as 116 B, expected one length"));
}
