// SPDX-License-Identifier: Apache-2.0
// Two connections of Plasma whose hosts set up one RDMA connection for both, in every order: it is set up once, whoever
// comes first, nobody uses it earlier, and who waits for it is woken.
#include "testbench/tests/applications/explored.h"
#include "testbench/tests/applications/ring_of.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

using namespace rnicsim;

namespace {

std::string plasma_with(const std::string& keys, const std::string& item = {}) {
    return "application: plasma, size: 64 B, plasma: {setup: 1 ms, " + keys + "}" + item;
}

}  // namespace

TEST_CASE("two users of a host set up once, in every order", "[applications]") {
    CHECK(explored(plasma_with("protocol: sendrecv, chunk: 64 B, recv_wrs: 1", ", connections: 2"), {64}) == "");
}
TEST_CASE("hosts that fetch from each other set up once, whoever begins, in every order", "[applications]") {
    CHECK(explored(ring_config(2, plasma_with("protocol: sendrecv, chunk: 64 B, recv_wrs: 1")), {64}) == "");
}
TEST_CASE("a connection sets up for itself before its first object, in every order", "[applications]") {
    const std::string keys =
        GENERATE("protocol: read", "protocol: sendrecv, chunk: 64 B, recv_wrs: 1", "protocol: read, lookup: true");
    CHECK(explored(plasma_with(keys), {64, 40}) == "");
}
TEST_CASE("a user of Plasma may die while its connection is set up", "[applications]") {
    CHECK(explored_with_faults(plasma_with("protocol: read"), {64}) == "");
}
