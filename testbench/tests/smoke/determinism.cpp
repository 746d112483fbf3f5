// SPDX-License-Identifier: Apache-2.0
// Two equal runs have equal results; a run ends with nothing left; a run that cannot end says what it waits for.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace rnicsim {
namespace {

RunConfig stormy() {
    RunConfig config = default_config();
    config.links[0].loss = 0.1;
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.1;
    config.traffic[0].transfers = 40;
    config.traffic[0].between_two(Direction::both);
    config.traffic[0].operation = OperationMix::alternate;
    config.traffic[0].in_flight = 3;
    return config;
}

TEST_CASE("the same run twice gives the same cycles, another seed gives others", "[smoke]") {
    RunConfig config = stormy();
    const Outcome first = simulate_apart(config);
    REQUIRE(first.ran);
    CHECK(simulate_apart(config).fingerprint == first.fingerprint);
    config.seed = 2;
    CHECK(simulate_apart(config).fingerprint != first.fingerprint);
}

TEST_CASE("a run with every fault at once ends clean", "[smoke]") {
    const RunResult result = simulate(stormy());
    CHECK(result.samples.size() == 80);
    for (const Sample& t : result.samples) CHECK_FALSE(t.failed());
}

TEST_CASE("a run that cannot end reports what each side waits for", "[smoke]") {
    RunConfig config = default_config();
    config.links[0].loss = 1.0;
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.max_requests = 60'000;
    config.watchdog = kMillisecond * 104;
    try {
        simulate(config);
        FAIL("the run ended");
    } catch (const RunError& error) {
        using Catch::Matchers::ContainsSubstring;
        CHECK_THAT(error.what(), ContainsSubstring("watchdog"));
        CHECK_THAT(error.what(), ContainsSubstring("host a: transfer 0 (tid 0): no completion yet"));
        CHECK_THAT(error.what(), ContainsSubstring("RNIC a: initiator of write tid 0: transferring, indirect"));
        CHECK_THAT(error.what(), ContainsSubstring("RNIC b: waits for nothing"));
        CHECK_THAT(error.what(), ContainsSubstring("last frames sent"));
    }
}

TEST_CASE("frames that the link always holds are no progress", "[smoke]") {
    RunConfig config = default_config();
    drp_of(config, 1).rnic.transport.segment = 512;  // each request is refused without asking the host
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.max_requests = 600;  // 1.4 s
        end.rnic.transport.idle_timeout = Cycle{1'000'000};
        end.host.ping = {{46}, Cycle{10'000}};
        end.host.receive_ring = 1;
    }
    config.links[0].reordering = 1;
    config.links[0].lateness = kMicrosecond * 100;
    config.watchdog = kMillisecond * 104;
    CHECK_THROWS_WITH(simulate(config), Catch::Matchers::ContainsSubstring("watchdog"));
}

}  // namespace
}  // namespace rnicsim
