// SPDX-License-Identifier: Apache-2.0
// Registrations that fail for a while: the program tries again, and what it says of itself stays exact.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

using namespace rnicsim;

namespace {

/// Time of all operations, picoseconds, and registrations that failed.
std::pair<std::int64_t, std::int64_t> found(const std::string& faults) {
    const auto of = [&](bool time) {
        return in_child([&] {
            const RunResult result =
                simulate(pair_config("application: plasma, transfers: 40, size: 50000 B, plasma: {protocol: read}",
                                     "  host: {cpu: {registration.base: 20 us, " + faults + "}}\n"));
            REQUIRE(std::ranges::none_of(result.samples, &Sample::failed));
            if (time) return result.samples.back().end.ps - result.samples.front().start.ps;
            return static_cast<std::int64_t>(counter(result, "client.host.registrations_failed") +
                                             counter(result, "server.host.registrations_failed"));
        });
    };
    const std::optional<std::int64_t> time = of(true), failed = of(false);
    REQUIRE(time);
    REQUIRE(failed);
    return {*time, *failed};
}

}  // namespace

TEST_CASE("each registration that fails costs its call and the wait behind it", "[applications]") {
    const auto [never_took, never] = found("registration.failure: 0.0001 %");
    const auto [took, failed] = found("registration.failure: 30 %, registration.retry: 80 us");
    REQUIRE(never == 0);
    REQUIRE(failed > 20);
    // Both ends register one behind the other.
    CHECK(took - never_took == failed * 100'000'000);
}
TEST_CASE("messages keep their order where one's registration is tried again", "[applications]") {
    for (const char* const faults : {"failure: 10 %", "failure: 50 %", "failure: 10 %, registration.retry: 10 us"}) {
        for (const unsigned depth : {1U, 2U, 4U, 16U}) {
            CAPTURE(faults, depth);
            CHECK(in_child([&] {
                      const RunResult result = simulate(pair_config(
                          "application: echo, transfers: 200, size: 4 KiB, echo: {memory: each}, depth: " +
                              std::to_string(depth),
                          std::string("  host: {cpu: {registration.base: 2 us, registration.") + faults + "}}\n"));
                      return result.samples.size() == 200 && std::ranges::none_of(result.samples, &Sample::failed);
                  }) == true);
        }
    }
}
TEST_CASE("if no registration can succeed the reader says so", "[applications]") {
    CHECK_THAT(
        rejection(pair_text("application: echo, echo: {memory: each}", "  host.cpu.registration.failure: 100 %\n")),
        Catch::Matchers::ContainsSubstring("expected less than 100 %: nothing would be registered"));
}
