// SPDX-License-Identifier: Apache-2.0
// Which frames get a mark of congestion: each has a draw of its own, and its own queue counts.
#include "model/network/switch/switch_logic.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/network/star.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

namespace rnicsim {
namespace {

/// Two ports; host i is at port i. `number`: the switch's.
SwitchLogic marking_switch(const SwitchConfig& config, unsigned number = 0) {
    return {config, {std::vector<MacTiming>(2), {0, 1}, std::vector<std::int64_t>(2)}, {}, number};
}

SwitchLogic::Arrival ect_frame(std::uint8_t of_class) {
    SwitchLogic::Arrival arrival{.port = 0, .length = 1'000, .to = 1};
    arrival.traffic_class = of_class;
    arrival.ecn_capable = true;
    arrival.handle = of_class;
    return arrival;
}

/// Of 200 frames, each alone in its queue and marked with chance 1/2, those that a switch marks.
std::vector<bool> drawn_by(unsigned number) {
    SwitchConfig config;
    config.ecn = {.at = EcnConfig::At::enqueue, .kmin = 500, .kmax = 1'500, .pmax = 1};
    SwitchLogic logic = marking_switch(config, number);
    std::vector<bool> marked;
    for (int i = 0; i < 200; ++i) {
        logic.arrives(kMicrosecond * 20 * i, ect_frame(0));
        marked.push_back(logic.begins(logic.next()).value().marked);
    }
    return marked;
}

TEST_CASE("marks: each frame draws anew, and each switch draws others", "[network]") {
    const std::vector<bool> first = drawn_by(0);
    CHECK(std::ranges::count(first, true) > 60);
    CHECK(std::ranges::count(first, true) < 140);
    CHECK(first == drawn_by(0));
    CHECK(first != drawn_by(1));
}

TEST_CASE("marks: the queue of the frame's own priority counts; the longest of a port is its high water", "[network]") {
    for (const EcnConfig::At at : {EcnConfig::At::enqueue, EcnConfig::At::dequeue}) {
        for (const unsigned busy : {0U, 4U}) {  // three frames in this queue, one in the other
            SwitchConfig config;
            config.priorities = 8;
            config.ecn = {.at = at, .kmin = 2'500, .kmax = 2'500, .pmax = 1};
            SwitchLogic logic = marking_switch(config);
            for (int i = 0; i < 3; ++i) logic.arrives(kMicrosecond, ect_frame(static_cast<std::uint8_t>(busy)));
            logic.arrives(kMicrosecond, ect_frame(static_cast<std::uint8_t>(4 - busy)));
            std::vector<unsigned> marked;
            while (logic.next() != kEndOfTime) {
                const auto departure = logic.begins(logic.next());
                if (departure && departure->marked) marked.push_back(departure->handle);
            }
            CHECK(marked == std::vector{busy});
            CHECK(logic.queue_high_water(1) == 3'000);
        }
    }
}

TEST_CASE("marks: a damaged frame that is cut through stays a damaged one", "[network]") {
    RunConfig config = plain_star(2, 100, 500);
    config.switches[0].mode = SwitchMode::cut_through;
    config.switches[0].ecn = {.at = EcnConfig::At::enqueue, .kmin = 1, .kmax = 1};
    config.traffic[0].ecn_capable = true;
    for (LinkConfig& link : config.links) link.corruption = 0.2;
    const RunResult result = simulate(config);  // each frame that arrives is the one that was sent, or the run throws
    CHECK(counter(result, "server.rx_bad_fcs") > 50);
    CHECK(counter(result, "s0.server.marked") > 0);
}

}  // namespace
}  // namespace rnicsim
