// SPDX-License-Identifier: Apache-2.0
// The cost of a DMA request: an acknowledgement waits until its frame's request is posted; a bulk drain is one request.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/theory/closed_form.h"
#include "tlm/ethernet/frame.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

RunConfig with_overhead(std::int64_t cycles) {
    RunConfig config = default_config();
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.pcie.request_overhead = Cycle{cycles};
    return config;
}

std::int64_t duration(const RunResult& result) { return in_cycles(result.samples.at(0).took()); }

TEST_CASE("an acknowledgement waits for its frame's DMA request", "[timing]") {
    const RunConfig config = with_overhead(400);
    CHECK(duration(simulate(config)) == ClosedForm(config).write());
}

TEST_CASE("requests slower than the wire: the DMA engine sets the pace, through window and acknowledgement",
          "[timing]") {
    RunConfig config = with_overhead(10);
    drp_of(config, 1).rnic.pcie.request_overhead = Cycle{2000};  // a frame takes 1094 on the wire
    const std::int64_t slow = duration(simulate(config));
    CHECK(slow > 128 * 2000);
    CHECK(slow < 128 * 2000 + 30'000);
}

/// Of two frames, the second comes 1094 cycles after the first, which leaves after 2000.
RunResult two_frames(std::size_t room) {
    RunConfig config = with_overhead(10);
    config.traffic[0].size = 2 * drp_of(config, 0).rnic.transport.segment;
    drp_of(config, 1).rnic.pcie.request_overhead = Cycle{2000};
    drp_of(config, 1).rnic.transport.rx_buffer = static_cast<std::uint32_t>(room * kMaxFrameBytes);
    return simulate(config);
}

TEST_CASE("data that finds the receive buffer full is lost, and comes again", "[timing]") {
    const RunResult result = two_frames(1);
    CHECK(counter(result, "b.transport.rx_overruns") == 1);
    CHECK(counter(result, "a.transport.retransmissions") == 1);
    CHECK(counter(result, "b.transport.placed_direct") == 2);
}

TEST_CASE("data that has a receive buffer each is not lost", "[timing]") {
    const RunResult result = two_frames(2);
    CHECK(counter(result, "b.transport.rx_overruns") == 0);
    CHECK(counter(result, "a.transport.retransmissions") == 0);
}

/// Every first attempt fails, so data goes into the buffer.
RunConfig indirect(bool bulk) {
    RunConfig config = default_config();
    config.traffic[0].transfers = 30;
    drp_of(config, 1).host.registration.failure = 0.5;
    drp_of(config, 1).rnic.transport.bulk_drain = bulk;
    return config;
}

TEST_CASE("a bulk drain is one DMA request", "[timing]") {
    const RunResult result = simulate(indirect(true));
    const std::uint64_t drains = counter(result, "b.transport.bulk_drains");
    CHECK(drains > 5);
    CHECK(counter(result, "b.transport.drained_frames") == 48 * drains);  // the whole buffer, each time
    CHECK(counter(result, "b.pcie.write_requests") == counter(result, "b.transport.placed_direct") + drains +
                                                          counter(result, "b.queues.events") +
                                                          counter(result, "b.queues.status_writes"));
}

TEST_CASE("without bulk drain each frame is one", "[timing]") {
    const RunResult result = simulate(indirect(false));
    CHECK(counter(result, "b.pcie.write_requests") ==
          counter(result, "b.transport.placed_direct") + counter(result, "b.transport.drained_frames") +
              counter(result, "b.queues.events") + counter(result, "b.queues.status_writes"));
}

}  // namespace
}  // namespace rnicsim
