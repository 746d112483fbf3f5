// SPDX-License-Identifier: Apache-2.0
// In every order: do brpc's credits and marks suffice?
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("brpc's ends end in every order, polling and woken by marked messages alone", "[applications]") {
    const bool sleeps = GENERATE(false, true);
    // Of 4, 2 and 1 messages; a window of 3, or of 8.
    const std::string item = "application: rpc, size: 100 B, rpc: {block: 64 B, answer: 40 B, queue: ";
    CHECK(explored(item + "6}, depth: 1", {100, 10}, sleeps) == "");
    CHECK(explored(item + "11}, depth: 1", {100, 10}, sleeps) == "");
    CHECK(explored("application: rpc, size: 40 B, rpc: {block: 64 B, answer: 10 B, queue: 6}, depth: 2", {40, 10},
                   sleeps) == "");
}
TEST_CASE("brpc without its window, or its marks, is found to fail", "[applications]") {
    const std::string item = "application: rpc, size: 200 B, depth: 1, rpc: {block: 64 B, queue: 6, unsafe: true, ";
    CHECK_THAT(explored(item + "window: false}", {200}), Catch::Matchers::StartsWith("a message finds no receive WQE"));
    CHECK_THAT(explored(item + "solicit: none}", {200}, true), Catch::Matchers::StartsWith("no way to the end"));
}
