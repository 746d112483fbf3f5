// SPDX-License-Identifier: Apache-2.0
// Do blocks come in every order, verified one after the other, at the cost of the formula?
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("a node gets its blocks in every order", "[applications]") {
    const std::string keys = GENERATE("window: 1", "irreversible: 1", "window: 2, heartbeat: 1");
    CHECK(explored("application: blocks, size: 40 B, transfers: 2, depth: 1, blocks: {" + keys + "}", {40, 40}) == "");
}
TEST_CASE("a node follows a chain that grows, in every order", "[applications]") {
    const std::string keys = GENERATE("history: 1, interval: 1 us", "history: 1, irreversible: 1, interval: 1 us",
                                      "interval: 1 us, window: 2");
    CHECK(explored("application: blocks, size: 40 B, transfers: 2, depth: 1, blocks: {" + keys + "}", {40, 40}) == "");
}
TEST_CASE("a producer gets verdicts in every order", "[applications]") {
    const std::string keys = GENERATE("window: 1", "window: 2, heartbeat: 1");
    CHECK(explored(
              "application: blocks, size: 40 B, transfers: 2, depth: 1, blocks: {operation: broadcast, " + keys + "}",
              {40, 20}) == "");
}
