// SPDX-License-Identifier: Apache-2.0
// The receive ring has as many buffers as configured: a frame is written only when the host has given its buffer back.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

/// Five pings per millisecond to a host that takes frames from its ring once in the whole run, when all have arrived.
void check_places(std::uint32_t places) {
    RunConfig config = default_config();
    drp_of(config, 0).host.ping = {{46}, Cycle{25'000}};
    drp_of(config, 1).host.software.interrupt_latency = Cycle{6'000'000};
    drp_of(config, 1).host.receive_ring = places;
    const RunResult result = simulate(config);
    CHECK(counter(result, "b.queues.frames_received") == places);
    CHECK(counter(result, "b.queues.no_receive_buffer") == counter(result, "a.host.pings_sent") - places);
}

TEST_CASE("a receive ring of one place", "[timing]") { check_places(1); }
TEST_CASE("a receive ring of three places", "[timing]") { check_places(3); }

}  // namespace
}  // namespace rnicsim
