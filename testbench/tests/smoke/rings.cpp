// SPDX-License-Identifier: Apache-2.0
// A slow host: nothing overwrites the entries that it has not taken from its rings.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/workloads/transfers/transfer_sample.h"
#include "tlm/drp/host_queues.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

/// Pings to a host that serves its first interrupt after the end: the transfer has failed without an answer.
RunResult pings_to_a_sleeper(std::uint32_t receive_ring, std::int64_t interval) {
    RunConfig config = default_config();
    drp_of(config, 0).host.ping = {{46}, Cycle{interval}};
    drp_of(config, 1).host.software.interrupt_latency = Cycle{6'000'000};
    drp_of(config, 1).host.receive_ring = receive_ring;
    const RunResult result = simulate(config);
    CHECK(error_of(result.samples.at(0)) == TransferError::request_timeout);
    return result;
}

TEST_CASE("the receive ring takes what it holds, and the rest is dropped and counted", "[smoke]") {
    const RunResult result = pings_to_a_sleeper(4, 100'000);
    CHECK(counter(result, "a.host.pings_sent") > 40);
    CHECK(counter(result, "b.queues.frames_received") == 4);
    CHECK(counter(result, "b.queues.no_receive_buffer") == counter(result, "a.host.pings_sent") - 4);
    CHECK(counter(result, "b.host.pings_answered") == 4);
}

TEST_CASE("more events than the event ring holds wait in the RNIC", "[smoke]") {
    const RunResult result = pings_to_a_sleeper(1024, 4'000);
    CHECK(counter(result, "b.queues.frames_received") == 1024);
    CHECK(counter(result, "b.host.events") > kEventRing);  // these, and the request's
    CHECK(counter(result, "b.host.pings_answered") == 1024);
}

}  // namespace
}  // namespace rnicsim
