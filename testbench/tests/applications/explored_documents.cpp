// SPDX-License-Identifier: Apache-2.0
// Do documents come in every order, with the right bytes and costs, and are their faults found?
#include "testbench/tests/applications/explored.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using namespace rnicsim;

TEST_CASE("documents come in every order, however they go", "[applications]") {
    const std::string how = GENERATE("flow: slots", "flow: turns", "support: server");
    const std::string operation = GENERATE("write", "query");
    const std::string keys = ", documents: {operation: " + operation + ", " + how;
    const std::string slots = how == "flow: turns" ? "}" : ", slots: 2}";
    CHECK(explored("application: documents, size: 40 B, depth: 2" + keys + slots, {40, 20, 40}) == "");
}
TEST_CASE("documents come in every order where each buffer is registered for itself", "[applications]") {
    CHECK(explored("application: documents, size: 40 B, depth: 2, documents: {buffers: each, slots: 1}",
                   {40, 20, 40}) == "");
}
TEST_CASE("the log is pulled in every order", "[applications]") {
    const std::string how = GENERATE("flow: slots", "flow: turns", "support: client");
    const std::string item =
        "application: documents, size: 40 B, transfers: 3, depth: 1, documents: {operation: oplog, "
        "history: 80 B, heartbeat: 2, news: 2, ";
    CHECK(explored(item + how + "}", {40, 40, 40}) == "");
}
TEST_CASE("a receive WQE that is not posted again is missed", "[applications]") {
    const std::string item =
        "application: documents, size: 40 B, transfers: 5, depth: 1, documents: {slots: 1, repost: "
        "false, unsafe: true}";
    CHECK_THAT(explored(item, {40, 40, 40, 40, 40}), Catch::Matchers::StartsWith("a message finds no receive WQE"));
}
