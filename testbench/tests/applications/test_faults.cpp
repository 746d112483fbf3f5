// SPDX-License-Identifier: Apache-2.0
// Does a run name what is wrong with an application: its bytes, its counts, who waits for ever?
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

RunResult run_with(const std::string& fault) {
    return simulate(
        pair_config("application: wrong, transfers: 3, wrong: {fault: " + fault + "}", "  rnic.rc.inline: 0 B\n"));
}

}  // namespace

TEST_CASE("without a fault all operations complete", "[applications]") {
    const RunResult result = run_with("none");
    CHECK(result.samples.size() == 3);
    CHECK(std::ranges::none_of(result.samples, &Sample::failed));
}
TEST_CASE("who is not answered waits for ever, and is named", "[applications]") {
    CHECK_THROWS_MATCHES(run_with("mute"), RunError,
                         MessageMatches(ContainsSubstring("item all, client to server, connection 0: both ends wait, "
                                                          "and operation 0 is not over (lost wake-up)")));
}
TEST_CASE("a count that is not the formula's is named, with both", "[applications]") {
    CHECK_THROWS_MATCHES(run_with("miscounts"), RunError,
                         MessageMatches(ContainsSubstring("sends of client: 3 are not the 4 of wrong's formula")));
}
TEST_CASE("other bytes are seen", "[applications]") {
    CHECK_THROWS_MATCHES(run_with("corrupts"), RunError,
                         MessageMatches(ContainsSubstring("client finds other bytes than those of operation 0")));
}
TEST_CASE("a queue that is full of what is not signaled never has room again", "[applications]") {
    CHECK_THROWS_MATCHES(run_with("floods"), RunError,
                         MessageMatches(ContainsSubstring(
                             "the 7 send WQEs of client are in use, none is signaled, and more wait: for ever")));
}
TEST_CASE("memory that is not registered fails the operation, and those behind it", "[applications]") {
    const RunResult result = run_with("strays");
    CHECK(std::ranges::all_of(result.samples, &Sample::failed));
}
