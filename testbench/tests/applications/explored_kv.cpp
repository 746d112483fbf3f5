// SPDX-License-Identifier: Apache-2.0
// Keys and values in every order in which client and server can see what comes.
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("kv ends in every order, by TCP and by RDMA", "[applications]") {
    const std::string operation = GENERATE("get", "set");
    const std::string keys = GENERATE("transport: tcp", "receives: 4, rx_size: 1 KiB, signal_every: 1",
                                      "receives: 4, rx_size: 64 B, signal_every: 2");
    const std::string item = "application: kv, size: 40 B, kv: {operation: " + operation + ", " + keys + "}, ";
    CHECK(explored(item + "depth: 1", {40, 3, 0}) == "");
    CHECK(explored(item + "depth: 2", {40, 3}) == "");
}
TEST_CASE("who writes before the other end has read what it wrote last is found", "[applications]") {
    const std::string item =
        "application: kv, size: 90 B, depth: 2, kv: {operation: set, receives: 8, rx_size: 64 B, room: taken, "
        "unsafe: true}";
    CHECK(explored(item, {90, 90}) != "");
}
