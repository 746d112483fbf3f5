// SPDX-License-Identifier: Apache-2.0
// What an interrupt costs the program that waits for it: waking, taking the event, asking for the next one.
#include "model/rnic/rc/end/end_config.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <optional>
#include <string>

using namespace rnicsim;

namespace {

struct Seen {
    Time round;  ///< from the last message but one to the last
    std::uint64_t interrupts = 0, poll = 0, wake = 0, event_read = 0, arm = 0, all = 0;  ///< of a; times in ps
};

/// A run in which both ends wait for interrupts.
Seen by_events(const std::string& item, const CpuConfig& cpu, Cycle poll = VerbsCosts{}.poll) {
    const std::optional<Seen> seen = in_child([&] {
        RunConfig config = pair_of(item);
        for (VerbsEndConfig& end : verbs_ends(config)) {
            end.host.events = true;
            end.host.cpu = cpu;
            end.host.costs.poll = poll;
        }
        const RunResult result = simulate(config);
        const auto of = [&](const std::string& name) { return counter(result, "a.host." + name); };
        Seen all{result.samples[19].start - result.samples[18].start,
                 of("interrupts"),
                 of("worked_poll_ps"),
                 of("worked_wake_ps"),
                 of("worked_event_read_ps"),
                 of("worked_arm_ps"),
                 of("worked_ps")};
        const std::uint64_t others = of("worked_post_ps") + of("worked_receive_ps") + of("worked_work_ps");
        if (all.poll + all.wake + all.event_read + all.arm + others != all.all) throw RunError("kinds do not add up");
        return all;
    });
    REQUIRE(seen);
    return *seen;
}
const std::string kInTurn = "operation: send, size: 64 B, pattern: ping_pong, transfers: 20";

}  // namespace

TEST_CASE("in turn each message waits for one waking, one event and one arming, to the cycle", "[network]") {
    const CpuConfig least{.wake{1}, .event_read{1}, .arm{1}};
    const Time before = by_events(kInTurn, least).round;
    for (Cycle CpuConfig::*const cost : {&CpuConfig::wake, &CpuConfig::event_read, &CpuConfig::arm}) {
        for (const std::int64_t more : {1, 25}) {
            CpuConfig cpu = least;
            cpu.*cost += Cycle{more};
            CHECK((by_events(kInTurn, cpu).round - before).ps == 2 * kGmiiClock.time(Cycle{more}).ps);
        }
    }
}

TEST_CASE("each interrupt brings an event and an arming; a program that is at work is not woken", "[network]") {
    const auto cycle = static_cast<std::uint64_t>(kGmiiClock.period().ps);
    const CpuConfig cpu{.wake{2}, .event_read{3}, .arm{5}};
    const Seen in_turn = by_events(kInTurn, cpu);
    CHECK(in_turn.wake == in_turn.interrupts * 2 * cycle);
    CHECK(in_turn.event_read == in_turn.interrupts * 3 * cycle);
    CHECK(in_turn.arm == in_turn.interrupts * 5 * cycle);
    // To take a completion takes longer than the next one needs to come.
    const Seen busy = by_events("operation: write, size: 64 B, depth: 16, transfers: 500", cpu, Cycle{5000});
    REQUIRE(busy.interrupts > 50);
    CHECK(busy.event_read == busy.interrupts * 3 * cycle);
    CHECK(busy.arm == busy.interrupts * 5 * cycle);
    CHECK(busy.wake >= 2 * cycle);
    CHECK(busy.wake < busy.interrupts * 2 * cycle);
    CHECK(busy.poll == 500 * 5000 * cycle);
}
