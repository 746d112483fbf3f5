// SPDX-License-Identifier: Apache-2.0
// Two equal runs have not only equal transfers: every counter, frame and activation of a process is equal.
#include "model/rnic/drp/end/end_config.h"
#include "model/system.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/default_config.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

RunConfig lively() {
    RunConfig config = default_config();
    config.links[0].loss = 0.05;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.registration.failure = 0.2;
        end.host.ping = {{64, 1000}, Cycle{30'000}};
    }
    config.traffic = {traffic_of_two(OperationMix::alternate, Direction::both, 30'000, 40, 3)};
    return config;
}

/// The whole result of a run without its cost, in the fields that fingerprint_of() covers.
RunResult everything(BuildOrder order) {
    RunResult result = simulate_in_order(lively(), order);
    const auto add = [&result](std::uint64_t value) {
        Sample record;
        record.start = Time{static_cast<std::int64_t>(value)};
        result.samples.push_back(record);
    };
    add(result.kernel_events);
    add(result.data_frames);
    add(static_cast<std::uint64_t>(result.simulated.ps));
    for (const auto& [name, value] : result.counters) add(value);
    return result;
}

TEST_CASE("counters and activations are the same twice, and in either order of building", "[smoke]") {
    const Outcome first = apart([] { return everything(BuildOrder::hosts_first); });
    const Outcome second = apart([] { return everything(BuildOrder::hosts_first); });
    const Outcome other = apart([] { return everything(BuildOrder::links_first); });
    REQUIRE(first.ran);
    REQUIRE(second.ran);
    REQUIRE(other.ran);
    CHECK(first.fingerprint == second.fingerprint);
    CHECK(first.fingerprint == other.fingerprint);
}

TEST_CASE("a default run is short of activations: a few for each frame, none for waiting", "[smoke]") {
    RunConfig config = default_config();
    config.traffic[0].transfers = 20;
    const RunResult result = simulate(config);
    // 20 x (128 data + 128 ACK + REQ, REQ_ACK, REL, REL_ACK) frames, of which none is lost.
    CHECK(result.data_frames == 20 * 128);
    // A data frame needs a fetch asked for, fetched, sent, received, acknowledged: fewer than 4 activations. A model
    // driven by a clock would have one for each of the 125 million cycles of a second, at each module.
    CHECK(result.kernel_events < 4 * result.data_frames);
    CHECK(result.kernel_events > 2 * result.data_frames);
    CHECK(result.simulated >
          kGmiiClock.time(Cycle{20 * 128 * 1094}));  // 1024 + 32 + 18 + 8 + 12 cycles a frame on the wire
}

}  // namespace
}  // namespace rnicsim
