// SPDX-License-Identifier: Apache-2.0
// Do tensors come in every order, with the right bytes and costs, and is their fault found?
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("tensors come in every order, whatever their path, known and changed", "[applications]") {
    const std::string path = GENERATE("direct", "proxy", "proto");
    const std::string item = "application: tensor, size: 40 B, transfers: 3, depth: 1, tensor: {tensors: 1, path: ";
    CHECK(explored(item + path + "}", {40, 40, 20}) == "");
    CHECK(explored(item + path + ", change_every: 2}", {40, 40, 40}) == "");
}
TEST_CASE("two tensors at a time come in every order", "[applications]") {
    CHECK(explored("application: tensor, size: 40 B, depth: 2, tensor: {tensors: 2}", {40, 40}) == "");
}
TEST_CASE("a tensor's message that does not wait for the ACK of the last one is found", "[applications]") {
    CHECK_THAT(
        explored("application: tensor, size: 40 B, depth: 2, tensor: {tensors: 2, ack: false, unsafe: true}", {40, 40}),
        Catch::Matchers::StartsWith("no way to the end"));
}
