// SPDX-License-Identifier: Apache-2.0
// In every order: does NCCL's sender write only where its receiver says, and is who is told told of data that are
// there?
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("NCCL's ends end in every order, with one message or two", "[applications]") {
    const std::string keys = GENERATE("slots: 2", "slots: 2, adaptive_routing: true, threshold: 16 B");
    const std::string item = "application: fifo, size: 40 B, transfers: 5, fifo: {" + keys + "}, ";
    CHECK(explored(item + "depth: 1", {40, 10, 40, 17, 1}) == "");
    CHECK(explored(item + "depth: 2", {40, 10, 40, 17, 1}) == "");
}
TEST_CASE("NCCL's faults are found", "[applications]") {
    const std::string item = "application: fifo, size: 40 B, transfers: 3, depth: 2, fifo: {unsafe: true, slots: 2, ";
    CHECK_THAT(explored(item + "wait: false}", {40, 40, 40}),
               Catch::Matchers::StartsWith("what is read or written there is not registered"));
    CHECK_THAT(explored(item + "adaptive_routing: true, threshold: 16 B, data_first: false}", {40, 40, 40}),
               Catch::Matchers::StartsWith("the user finds other bytes"));
}
