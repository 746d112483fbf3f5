// SPDX-License-Identifier: Apache-2.0
// Timers shorter than a lap of the scanner or a decision: the responder gives up before its initiator and forgets what
// it has acknowledged. The scenario reader refuses such settings (PROTOCOL.md 10.2), but the protocol must be safe
// without that: a transfer may fail, but must not complete without its data. simulate() throws if one does.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

/// Writes of 1 KiB over a link that loses 30 %, an idle timeout a cycle longer than all tries.
RunConfig impatient(Cycle timer, std::uint32_t entries) {
    RunConfig config = default_config();
    config.traffic[0].size = 1024;
    config.traffic[0].transfers = 300;
    config.links[0].loss = 0.3;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.registration.base_cost = Cycle{125};
        TransportConfig& t = end.rnic.transport;
        t.table_entries = entries;
        t.request_timer = timer;
        t.data_timer = Cycle{timer.n * 4 / 5};
        t.idle_timeout = timer * 16 + Cycle{1};
    }
    return config;
}

/// Every transfer has completed or failed, and no rule was broken.
void check_safe(RunConfig config) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        for (const Method method : {Method::dynamic, Method::traditional}) {
            config.seed = seed;
            for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.method = method;
            CAPTURE(seed, method == Method::dynamic);
            const Outcome outcome = simulate_apart(config);
            REQUIRE(outcome.ran);
            CHECK(outcome.completed + outcome.failed == config.traffic[0].transfers);
        }
    }
}

constexpr Cycle kOneMicrosecond = kGmiiClock.cycle(kMicrosecond);

TEST_CASE("timers shorter than a lap of the scanner: nothing completes without its data", "[property]") {
    for (const std::uint32_t entries : {256U, 1024U}) check_safe(impatient(kOneMicrosecond, entries));
}

TEST_CASE("... with a host that needs longer to register than its RNIC remembers that it asked", "[property]") {
    for (const std::uint32_t entries : {256U, 1024U}) {
        RunConfig config = impatient(kOneMicrosecond, entries);
        for (DrpEndConfig& end : drp_ends(config)) end.host.registration.base_cost = kOneMicrosecond * 40;
        check_safe(config);
    }
}

TEST_CASE("... with failed registrations, both ways, several at once", "[property]") {
    RunConfig config = impatient(kOneMicrosecond, 256);
    config.traffic[0].operation = OperationMix::alternate;
    config.traffic[0].between_two(Direction::both);
    config.traffic[0].in_flight = 4;
    config.traffic[0].transfers = 200;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.registration.failure = 0.4;
        end.host.registration.retry_interval = kOneMicrosecond * 6;
    }
    config.links[0].duplication = config.links[0].reordering = 0.1;
    config.links[0].lateness = kMicrosecond * 4;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        config.seed = seed;
        const Outcome outcome = simulate_apart(config);
        REQUIRE(outcome.ran);
        CHECK(outcome.completed + outcome.failed == 2 * config.traffic[0].transfers);
    }
}

TEST_CASE("decisions that take as long as timers are apart: nothing completes without its data", "[property]") {
    RunConfig config = impatient(kOneMicrosecond * 4, 64);
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.decision = Cycle{63};
    check_safe(config);
}

TEST_CASE("a timer that is shorter than a decision does not starve the others", "[property]") {
    // The REQ_ACK of a read, once a decision, and nothing else for ever: PROTOCOL.md 8.4.
    RunConfig config = default_config();
    config.traffic[0].operation = OperationMix::read;
    config.traffic[0].size = 1024;
    config.traffic[0].transfers = 20;
    config.watchdog = kMillisecond * 200;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.request_timer = kOneMicrosecond * 4;
        end.rnic.transport.mode_choice = &mode_choice("on_refusal");
        end.rnic.transport.idle_timeout = Cycle{125'000};
    }
    drp_of(config, 1).rnic.transport.decision = kOneMicrosecond * 5;
    const Outcome outcome = simulate_apart(config);
    REQUIRE(outcome.ran);
    CHECK(outcome.completed + outcome.failed == 20);
}

}  // namespace
}  // namespace rnicsim
