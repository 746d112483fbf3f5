// SPDX-License-Identifier: Apache-2.0
// In every order in which two ends can see what comes: does each protocol end, with the right bytes, and does it cost
// what its formula says?
#include "testbench/applications/echo/echo.h"
#include "testbench/applications/plasma/plasma.h"
#include "testbench/explore/applications/pair_world.h"
#include "testbench/explore/breadth_first.h"
#include "testbench/scenario/applications.h"
#include "testbench/tests/applications/pair_of.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace rnicsim;

namespace {

constexpr std::uint32_t kPmtu = 1024;

/// The first rule that is broken; empty: none is. Where none is, counts are the formula's in each end.
std::string explored(const std::string& item, std::vector<std::uint32_t> sizes) {
    const RunConfig config = pair_config(item);
    explore::PairPlan plan{protocol_of(config.traffic.at(0)), &config.traffic.at(0), std::move(sizes)};
    explore::PairMoves moves;
    explore::BreadthFirst<explore::PairWorld, explore::PairMove, explore::PairMoves> search(
        explore::PairWorld(plan), moves, 2'000'000, "no way to the end");
    const auto found = search.run({});
    if (found.broken()) {
        std::string text = found.breaches.front().rule + ", behind";
        for (const explore::PairMove& move : found.breaches.front().trace)
            text += " " + std::string(explore::kPairStepNames.at(static_cast<std::size_t>(move.step))) + " of " +
                    (move.side == 0 ? "who asks," : "who answers,");
        return text;
    }
    REQUIRE(found.exhaustive);
    REQUIRE_FALSE(moves.ends.empty());
    applications::Counts wanted = plan.application->expected(*plan.item, plan.sizes, kPmtu);
    for (applications::Counts of : moves.ends) {
        for (unsigned side = 0; side < 2; ++side)
            for (std::size_t i = 0; i < applications::kCounts; ++i) {
                const auto what = static_cast<applications::Count>(i);
                if (what == applications::Count::payload_packets) continue;
                // Who answers may still have something to do when the last operation is over.
                if (side == 1 ? of.at(side)[what] > wanted.at(side)[what] : of.at(side)[what] != wanted.at(side)[what])
                    return std::string(applications::kCountNames.at(i)) + " are not the formula's";
            }
    }
    return {};
}

}  // namespace

TEST_CASE("echo ends in every order, whatever the memory", "[applications]") {
    const std::string memory = GENERATE("pool", "copy", "each");
    const std::string item = "application: echo, size: 64 B, echo: {memory: " + memory + "}, ";
    CHECK(explored(item + "depth: 1", {64, 40, 64}) == "");
    CHECK(explored(item + "depth: 2", {64, 40, 64}) == "");
}
TEST_CASE("Plasma ends in every order, by each protocol", "[applications]") {
    const std::string keys =
        GENERATE("protocol: socket, write: 80 B", "protocol: read", "protocol: sendrecv, chunk: 64 B, recv_wrs: 1",
                 "protocol: sendrecv, chunk: 64 B, recv_wrs: 2, window: 2");
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
    CHECK(explored("application: plasma, size: 200 B, plasma: {chunk: 64 B, recv_wrs: 2, threshold: 100 B}",
                   {200, 64, 100}) == "");
}
