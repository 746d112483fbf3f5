// SPDX-License-Identifier: Apache-2.0
// The watchdog: late enough for a run that only takes long, soon enough for a run that never ends.
#include "testbench/run/watchdog.h"
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

TEST_CASE("hosts that try many registrations between two events get their time", "[smoke]") {
    RunConfig config = default_config();
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.registration.base_cost = Cycle{2'500'000};  // 20 ms, and 64 regions that fail nearly always
        end.host.registration.failure = 0.99;
        end.rnic.transport.table_entries = 256;
    }
    config.traffic[0].between_two(Direction::both);
    config.traffic[0].size = 1024;
    config.traffic[0].transfers = config.traffic[0].in_flight = 64;
    CHECK(simulate(config).samples.size() == 128);
}

TEST_CASE("a standstill is found soon, with pings at any share", "[smoke]") {
    RunConfig config = default_config();
    config.traffic[0].in_flight = 16;
    CHECK(watchdog_limit(config) > config.watchdog);
    CHECK(watchdog_limit(config) < kSecond * 3);
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.ping = {{256, 1024}, Cycle{125'000}};
        end.rnic.transport.ordinary_share = 1;  // but they hardly use the wire
    }
    CHECK(watchdog_limit(config) < kSecond * 20);
    for (DrpEndConfig& end : drp_ends(config)) end.host.ping.interval = Cycle{1000};  // they fill the wire
    CHECK(watchdog_limit(config) > kSecond * 1000);
}

}  // namespace
}  // namespace rnicsim
