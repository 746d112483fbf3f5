// SPDX-License-Identifier: Apache-2.0
// Transfers that cannot succeed end in one error at the upper layer, and leave nothing behind. (Every run checks that
// tables, buffers, rings and pools are empty at its end.)
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/transfer_sample.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string_view>

namespace rnicsim {
namespace {

void check_all_fail(const RunResult& result, std::string_view error) {
    for (const Sample& t : result.samples) CHECK(error_name(error_of(t)) == error);
}

TEST_CASE("registration never succeeds: request timeout after max_requests timers", "[smoke]") {
    RunConfig config = default_config();
    drp_of(config, 1).host.registration.failure = 1;
    config.traffic[0].transfers = 2;
    const RunResult result = simulate(config);
    check_all_fail(result, "request timeout");
    // 16 requests, each with its timer, which the scanner finds within a round of the table, and a decision; then the
    // latency of command and error event.
    const std::int64_t taken = in_cycles(result.samples[0].took());
    CHECK(taken >= 16 * 300'000);
    CHECK(taken < 16 * (300'000 + 64 + 8) + 1000);
    CHECK(counter(result, "b.transport.idle_timeouts") == 2);
    CHECK(counter(result, "b.transport.indirect_buffer_high_water") == 48);
}

TEST_CASE("the link is dead: request timeout", "[smoke]") {
    RunConfig config = default_config();
    config.links[0].loss = 1;
    config.traffic[0].transfers = 2;
    const RunResult result = simulate(config);
    check_all_fail(result, "request timeout");
    CHECK(counter(result, "link.a_to_b_carried") == 0);
}

TEST_CASE("segments that differ: refused without asking the host, never a byte written", "[smoke]") {
    RunConfig config = default_config();
    drp_of(config, 1).rnic.transport.segment = 512;
    const RunResult result = simulate(config);
    check_all_fail(result, "request timeout");
    CHECK(counter(result, "b.transport.segment_mismatch") == 16);
    CHECK(counter(result, "b.host.registrations") == 0);
    CHECK(counter(result, "b.pcie.write_bytes") == 0);
}

TEST_CASE("more transfers at once than the table has entries: an error at once", "[smoke]") {
    RunConfig config = default_config();
    drp_of(config, 0).rnic.transport.table_entries = 4;
    config.traffic[0].in_flight = 6;
    config.traffic[0].transfers = 6;
    const RunResult result = simulate(config);
    const auto failed = std::ranges::count(result.samples, TransferError::table_full, error_of);
    CHECK(failed == 2);
    CHECK(counter(result, "a.transport.table_full") == 2);
}

TEST_CASE("pings go through the same RNICs along with the transfers, and come back", "[smoke]") {
    RunConfig config = default_config();
    for (DrpEndConfig& end : drp_ends(config)) end.host.ping = {{46, 512, 1500}, Cycle{25'000}};
    config.traffic[0].transfers = 30;
    const RunResult with = simulate(config);
    for (const Sample& t : with.samples) CHECK_FALSE(t.failed());
    for (const std::string end : {"a", "b"}) {
        CHECK(counter(with, end + ".host.pings_sent") > 400);
        CHECK(counter(with, end + ".host.ping_replies") == counter(with, end + ".host.pings_sent"));
        CHECK(counter(with, end + ".queues.no_receive_buffer") == 0);
    }
}

TEST_CASE("TIDs wrap at 65536 and nothing mixes old transfers with new ones", "[smoke]") {
    RunConfig config = default_config();
    config.links[0].loss = 0.01;
    for (DrpEndConfig& end : drp_ends(config)) end.host.registration.failure = 0.01;
    config.traffic = {traffic_of_two(OperationMix::alternate, Direction::both, 1, 66'000, 4)};
    // A lost REL_ACK is repeated before 64 others have been released: PROTOCOL.md 3.16.
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.release_timer = Cycle{6'250};
    const RunResult result = simulate(config);
    CHECK(result.samples.size() == 132'000);
    CHECK(std::ranges::all_of(result.samples, [](const Sample& t) { return !t.failed(); }));
}

TEST_CASE("more pings than their share of the wire: the driver drops what its ring cannot hold", "[smoke]") {
    RunConfig config = default_config();
    for (DrpEndConfig& end : drp_ends(config)) end.host.ping = {{1500, 1500}, Cycle{4000}};
    config.traffic[0].transfers = 20;
    const RunResult result = simulate(config);
    std::uint64_t dropped = 0;
    for (const std::string end : {"a", "b"}) {
        const std::string other = end == "a" ? "b" : "a";
        dropped += counter(result, end + ".host.frames_dropped") + counter(result, end + ".queues.no_receive_buffer");
        CHECK(counter(result, end + ".host.ping_replies") <= counter(result, other + ".host.pings_answered"));
        // Every frame that left one end arrived at the other: none is overwritten in between.
        CHECK(counter(result, end + ".queues.frames_sent") == counter(result, other + ".filter.ordinary"));
    }
    CHECK(dropped > 0);
}

TEST_CASE("ordinary frames take their share: transfers beside pings are slower", "[smoke]") {
    RunConfig config = default_config();
    config.traffic[0].transfers = 20;
    const Outcome alone = simulate_apart(config);
    for (DrpEndConfig& end : drp_ends(config)) end.host.ping = {{1024}, Cycle{12'500}};
    const Outcome beside = simulate_apart(config);
    REQUIRE(alone.ran);
    REQUIRE(beside.ran);
    // Every 12,500 cycles a request and a reply in each direction, 1062 cycles each on the wire: a good sixth of it.
    CHECK(beside.cycles > alone.cycles * 105 / 100);
    CHECK(beside.cycles < alone.cycles * 140 / 100);
}

}  // namespace
}  // namespace rnicsim
