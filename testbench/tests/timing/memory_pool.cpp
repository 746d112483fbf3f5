// SPDX-License-Identifier: Apache-2.0
// Memory that can be registered: what a region takes is not there for others until the region is released.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

/// Three transfers to a host that has memory for one region.
RunResult room_for_one(std::uint32_t in_flight) {
    RunConfig config = default_config();
    config.traffic[0].transfers = 3;
    config.traffic[0].in_flight = in_flight;
    drp_of(config, 1).host.registration.pool.size = config.traffic[0].size;
    RunResult result = simulate(config);
    for (const Sample& t : result.samples) CHECK_FALSE(t.failed());
    CHECK(counter(result, "b.host.registration_failures") == 0);
    return result;
}

TEST_CASE("one transfer after another finds the memory that the previous one has freed", "[timing]") {
    CHECK(counter(room_for_one(1), "b.host.registration_no_memory") == 0);
}

TEST_CASE("of two at once one waits for the memory of the other", "[timing]") {
    CHECK(counter(room_for_one(2), "b.host.registration_no_memory") > 0);
}

}  // namespace
}  // namespace rnicsim
