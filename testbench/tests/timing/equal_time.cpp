// What happens when two things fall into the same cycle, and what a transmit buffer allows.
#include "testbench/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/default_config.h"
#include "testbench/theory/closed_form.h"
#include "tlm/ethernet_frame.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim {
namespace {

/// From the decision to send the only frame of a one-byte write until its acknowledgement is acted upon.
/// Fetch: 4 decision, 10 set-up, 10 MRd, 19; 12 and a bit in memory, 12 CplD, rounded up; 19. There: 4 + 72 wire, 5
/// link, 2 + 3 + 6 to the decision. Back: 4 + 10 until the DMA request is posted, then as there.
constexpr std::int64_t kRoundTrip =
    (4 + 10 + 10 + 19 + 25 + 19) + (4 + 72 + 5 + 2 + 3 + 6) + 14 + (4 + 72 + 5 + 2 + 3 + 6);

RunConfig one_byte(std::int64_t data_timer) {
    RunConfig config = default_config();
    config.workload.size = 1;
    for (EndSystemConfig& end : config.ends) end.rnic.transport.data_timer = Cycle{data_timer};
    return config;
}

TEST_CASE("an acknowledgement in the cycle in which its timer expires came in time", "[timing]") {
    CHECK(counter(simulate(one_byte(kRoundTrip)), "a.transport.data_timeouts") == 0);
}

TEST_CASE("an acknowledgement in the cycle after is too late", "[timing]") {
    CHECK(counter(simulate(one_byte(kRoundTrip - 1)), "a.transport.data_timeouts") == 1);
}

/// Memory so far away that a fetch takes longer than a frame on the wire.
RunConfig far_memory(std::uint32_t frames, std::uint32_t buffers) {
    RunConfig config = default_config();
    config.workload.size = frames * 1024;
    for (EndSystemConfig& end : config.ends) {
        end.host.memory.latency = Cycle{2000};
        end.rnic.transport.tx_buffer = buffers * static_cast<std::uint32_t>(kMaxFrameBytes);
    }
    return config;
}

std::int64_t duration(const RunConfig& config) {
    const RunResult result = simulate(config);
    return (result.transfers.at(0).end - result.transfers.at(0).start).n;
}

// 32 for the Ack DLLPs of the completions before (decision and set-up, 14, are shorter), 20 for two MRd, 19; 2000 + 80
// in memory, 592 for eight CplD, 19.
constexpr std::int64_t kFetch = 32 + 20 + 19 + 2080 + 592 + 19;

TEST_CASE("one transmit buffer: a frame is fetched when the one before has gone to the MAC", "[timing]") {
    CHECK(duration(far_memory(4, 1)) == ClosedForm(far_memory(1, 1)).write() + 3 * kFetch);
}

TEST_CASE("two transmit buffers: two frames at a time", "[timing]") {
    // The second of a pair comes its eight CplD later; the pair after it is asked for when the buffers come free.
    CHECK(duration(far_memory(4, 2)) == ClosedForm(far_memory(1, 1)).write() + kFetch + 1094);
}

}  // namespace
}  // namespace rnicsim
