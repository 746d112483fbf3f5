// SPDX-License-Identifier: Apache-2.0
// Two events in the same cycle, and how many frames transmit buffers allow.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/cycles.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/theory/closed_form.h"
#include "tlm/ethernet/frame.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace rnicsim {
namespace {

/// From the end of the decision to fetch the only frame of a one-byte write until its acknowledgement is classified.
/// The event of the REQ_ACK, decided on 8 cycles before, is ahead: 10 set-up, 22 TLP, 12 MSI. Fetch: 10 MRd, 19;
/// 12 and a bit in memory, 12 CplD, rounded up; 19. Way there: 4 + 72 wire, 5 link, 2 + 3, 8 decision. Way back: 10
/// until the DMA request is posted, then as there, without the decision.
constexpr std::int64_t kUntilAck =
    -8 + 10 + 22 + 12 + (10 + 19 + 25 + 19) + (4 + 72 + 5 + 2 + 3 + 8) + 10 + (4 + 72 + 5 + 2 + 3);

RunConfig one_byte(std::int64_t data_timer) {
    RunConfig config = default_config();
    config.traffic[0].size = 1;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.rnic.transport.data_timer = Cycle{data_timer};
        end.rnic.transport.table_entries = 1;  // scanned in every cycle
    }
    return config;
}

TEST_CASE("an acknowledgement in the cycle in which its timer expires came in time", "[timing]") {
    CHECK(counter(simulate(one_byte(kUntilAck)), "a.transport.data_timeouts") == 0);
}

TEST_CASE("an acknowledgement in the cycle after is too late", "[timing]") {
    CHECK(counter(simulate(one_byte(kUntilAck - 1)), "a.transport.data_timeouts") == 1);
}

TEST_CASE("the scanner of the timers looks at one entry per cycle, and stands still during a decision", "[timing]") {
    RunConfig config = default_config();
    config.links[0].loss = 1;
    for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.max_requests = 1;
    const ClosedForm form(config);
    const RunResult result = simulate(config);
    const std::int64_t start = in_cycles(result.samples.at(0).start);
    const std::int64_t deadline = start + form.command() + drp_of(config, 0).rnic.transport.request_timer.n;
    // One decision before, to send REQ: 8 cycles in which the scanner stood still. It is at entry 0 again every 64.
    const std::int64_t found = (deadline - 8 + 63) / 64 * 64 + 8;
    CHECK(in_cycles(result.samples.at(0).end) == found + 8 + form.completion());
}

TEST_CASE("the scanner continues behind the entry that it has served: two timers of one do not starve the others",
          "[timing]") {
    // Nothing arrives; four writes send requests and early data, and their timers are shorter than a decision.
    RunConfig config = default_config();
    config.links[0].loss = 1;
    config.traffic[0].size = 1024;
    config.traffic[0].transfers = config.traffic[0].in_flight = 4;
    for (DrpEndConfig& end : drp_ends(config)) {
        TransportConfig& transport = end.rnic.transport;
        transport.decision = Cycle{1250};
        transport.request_timer = transport.data_timer = Cycle{1000};
        transport.max_requests = 16;
        transport.indirect_after_timeouts = 1;
    }
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 4);
    const auto [first, last] = std::ranges::minmax(result.samples, {}, &Sample::end);
    // Each fails after sixteen requests, and its turn comes once per lap.
    CHECK(in_cycles(last.end - first.end) < 1250 * 16);
}

/// Memory so slow that a fetch takes longer than a frame on the wire.
RunConfig far_memory(std::uint32_t frames, std::uint32_t buffers) {
    RunConfig config = default_config();
    config.traffic[0].size = frames * 1024;
    for (DrpEndConfig& end : drp_ends(config)) {
        end.host.memory.latency = Cycle{2000};
        end.rnic.transport.tx_buffer = buffers * static_cast<std::uint32_t>(kMaxFrameBytes);
    }
    return config;
}

std::int64_t duration(const RunConfig& config) {
    const RunResult result = simulate(config);
    return in_cycles(result.samples.at(0).took());
}

// From the end of a frame until the frame that gets its buffer starts: 8 to decide that it has left, 8 to decide on the
// fetch; 10 set-up, 20 for two MRd, 19; 2000 + 80 in memory, 592 for eight CplD, 19; 4 in the MAC.
constexpr std::int64_t kRefill = 8 + 8 + 10 + 20 + 19 + 2080 + 592 + 19 + 4;
constexpr std::int64_t kOnTheWire = 8 + 14 + 32 + 1024 + 4;

TEST_CASE("one transmit buffer: a frame is fetched when the one before has left", "[timing]") {
    CHECK(duration(far_memory(4, 1)) == ClosedForm(far_memory(1, 1)).write() + 3 * (kOnTheWire + kRefill));
}

TEST_CASE("two transmit buffers: two frames at a time", "[timing]") {
    CHECK(duration(far_memory(4, 2)) ==
          ClosedForm(far_memory(1, 1)).write() + (kOnTheWire + kRefill) + kOnTheWire + 12);
}

}  // namespace
}  // namespace rnicsim
