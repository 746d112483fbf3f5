// SPDX-License-Identifier: Apache-2.0
// A command ring that is full.
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/drp/host/host_observer.h"
#include "model/rnic/drp/transport_engine.h"
#include "testbench/events/event_log.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/counter.h"
#include "testbench/tests/support/default_config.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace rnicsim {
namespace {

/// The TIDs whose commands a host posts, in order.
class Posted : public EventSink {
  public:
    void event(const LoggedEvent& event, std::span<const std::uint8_t> /*frame*/) override {
        const auto* const software = std::get_if<SoftwareStep>(&event.what);
        const bool posted = software != nullptr && event.end == 0 && software->step == HostStep::command_posted &&
                            software->role == Role::initiator;
        if (posted) tids.push_back(raw(software->tid));
    }
    std::vector<std::uint16_t> tids;
};

TEST_CASE("commands that find the command ring full wait in order", "[timing]") {
    RunConfig config = default_config();
    drp_of(config, 0).host.ping = {{46}, Cycle{10'000}};
    drp_of(config, 0).host.software.command_cost = Cycle{1};
    drp_of(config, 0).rnic.pcie.request_overhead = Cycle{125'000};
    config.traffic[0].transfers = 100;
    config.traffic[0].in_flight = 64;
    Posted posted;
    const RunResult result = simulate_recorded(config, posted);
    CHECK(counter(result, "a.host.frames_dropped") > 100);  // the transmit ring is full, and so is the command ring
    REQUIRE(posted.tids.size() == 100);
    CHECK(std::ranges::is_sorted(posted.tids));
}

}  // namespace
}  // namespace rnicsim
