// SPDX-License-Identifier: Apache-2.0
// An application that tries again for ever, one that says that it is wrong, one that sends too early: each run ends,
// and names it.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

void run_endless(const std::string& fault) {
    simulate(pair_config("application: wrong, transfers: 3, wrong: {fault: " + fault + "}"));
}

}  // namespace

TEST_CASE("who asks again and again for what it does not get asks no longer than the watchdog waits",
          "[applications]") {
    CHECK_THROWS_MATCHES(run_endless("spins"), RunError, MessageMatches(ContainsSubstring("watchdog")));
}
TEST_CASE("a rule of the protocol's own that is broken ends the run", "[applications]") {
    CHECK_THROWS_MATCHES(run_endless("protests"), RunError,
                         MessageMatches(ContainsSubstring("connection 0: server: the answer is wrong")));
}
