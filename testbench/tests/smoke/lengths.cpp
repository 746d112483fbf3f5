// SPDX-License-Identifier: Apache-2.0
// A transfer of any length works in every mode: from one byte to 16 MiB, also when it is no multiple of the segment.
// Destination and source are compared byte for byte in every run.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

RunConfig length(std::uint32_t size, OperationMix operation, Method method) {
    RunConfig config = default_config();
    config.traffic[0].size = size;
    config.traffic[0].operation = operation;
    config.traffic[0].transfers = size > 1'000'000 ? 1 : 12;
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.method = method;
    return config;
}

constexpr std::uint32_t kSizes[] = {1, 31, 32, 1023, 1024, 1025, 49'152, 49'153, 65'537, 131'072};
constexpr std::uint32_t kHuge[] = {16'777'215, 16'777'216};

TEST_CASE("direct, both operations, both methods", "[smoke]") {
    for (const Method method : {Method::traditional, Method::dynamic}) {
        for (const OperationMix operation : {OperationMix::write, OperationMix::read}) {
            for (const std::uint32_t size : kSizes) {
                const Outcome outcome = simulate_apart(length(size, operation, method));
                INFO(size);
                REQUIRE(outcome.ran);
                CHECK(outcome.failed == 0);
                CHECK(outcome.indirect == 0);
            }
        }
    }
}

TEST_CASE("indirect writes: every first registration fails, the host's retry succeeds", "[smoke]") {
    std::uint64_t indirect = 0;
    for (const std::uint32_t size : kSizes) {
        RunConfig config = length(size, OperationMix::write, Method::dynamic);
        for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.8;
        config.links[0].loss = 0.02;
        const Outcome outcome = simulate_apart(config);
        INFO(size);
        REQUIRE(outcome.ran);
        CHECK(outcome.failed == 0);
        indirect += outcome.indirect;
    }
    CHECK(indirect > 80);  // of 120
}

TEST_CASE("indirect reads: REQ_ACK and ready are lost", "[smoke]") {
    std::uint64_t indirect = 0;
    for (const std::uint32_t size : kSizes) {
        RunConfig config = length(size, OperationMix::read, Method::dynamic);
        config.links[0].loss = 0.3;
        const Outcome outcome = simulate_apart(config);
        INFO(size);
        REQUIRE(outcome.ran);
        CHECK(outcome.failed == 0);
        indirect += outcome.indirect;
    }
    CHECK(indirect > 5);
}

TEST_CASE("16 MiB, and a byte less, in every mode", "[smoke]") {
    for (const std::uint32_t size : kHuge) {
        for (const OperationMix operation : {OperationMix::write, OperationMix::read}) {
            INFO(size);
            const Outcome direct = simulate_apart(length(size, operation, Method::traditional));
            REQUIRE(direct.ran);
            CHECK(direct.completed == 1);
            RunConfig config = length(size, operation, Method::dynamic);
            config.links[0].loss = 0.01;
            for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.9;
            const Outcome faulty = simulate_apart(config);
            REQUIRE(faulty.ran);
            CHECK(faulty.completed == 1);
        }
    }
}

}  // namespace
}  // namespace rnicsim
