// SPDX-License-Identifier: Apache-2.0
// In every order in which two ends can see what comes: does each protocol end, with the right bytes, and does it cost
// what its formula says?
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("echo ends in every order, whatever the memory", "[applications]") {
    const std::string memory = GENERATE("pool", "copy", "each");
    const std::string item = "application: echo, size: 64 B, echo: {memory: " + memory + "}, ";
    CHECK(explored(item + "depth: 1", {64, 40, 64}) == "");
    CHECK(explored(item + "depth: 2", {64, 40, 64}) == "");
}
TEST_CASE("Plasma ends in every order, by each protocol", "[applications]") {
    const std::string keys =
        GENERATE("protocol: socket, write: 80 B", "protocol: read", "protocol: sendrecv, chunk: 64 B, recv_wrs: 1",
                 "protocol: sendrecv, chunk: 64 B, recv_wrs: 2, window: 2", "protocol: read, lookup: true");
    CHECK(explored("application: plasma, size: 200 B, plasma: {" + keys + "}", {200, 130}) == "");
}
TEST_CASE("Plasma's faults are found", "[applications]") {
    const std::string item =
        "application: plasma, size: 200 B, plasma: {chunk: 64 B, protocol: sendrecv, unsafe: true, ";
    CHECK_THAT(explored(item + "recv_wrs: 1, ack: false}", {200}),
               Catch::Matchers::StartsWith("a message finds no receive WQE"));
    CHECK_THAT(explored(item + "recv_wrs: 2, window: 2, slots: shared}", {200}),
               Catch::Matchers::StartsWith("the user finds other bytes"));
}
TEST_CASE("Plasma changes from one protocol to the other between objects", "[applications]") {
    CHECK(explored(
              "application: plasma, sizes: [200 B, 64 B, 100 B], plasma: {chunk: 64 B, recv_wrs: 2, threshold: 100 B}",
              {200, 64, 100}) == "");
}
TEST_CASE("a user of Plasma may die at any moment, and a lease end too early", "[applications]") {
    // No object is sealed that is not whole, a late FIN ends nobody else's lease, and at last no memory is pinned.
    const std::string keys = GENERATE("protocol: read", "chunk: 40 B, window: 2, recv_wrs: 2, threshold: 150 B");
    CHECK(explored_with_faults("application: plasma, sizes: [200 B, 130 B], plasma: {" + keys + "}", {200, 130}) == "");
}
