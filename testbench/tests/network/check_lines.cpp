// SPDX-License-Identifier: Apache-2.0
// Check lines of `rnicsim describe`: are they what a run has?
#include "testbench/theory/check_lines.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/stream_times.h"
#include "testbench/tests/network/verbs_pairs.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <optional>

using namespace rnicsim;

namespace {

CheckLines lines_of(const RunConfig& config) { return {verbs_of(config, 0), config.links.at(0)}; }

/// The last round but one of SENDs by interrupts.
Round by_interrupts(RunConfig config) {
    const std::optional<Round> round = in_child([&] {
        for (VerbsEndConfig& end : verbs_ends(config)) end.host.events = true;
        const RunResult result = simulate(config);
        const Time begun = result.samples.end()[-2].start;
        return Round{Time{(result.samples.end()[-1].start - begun).ps / 2}, begun};
    });
    REQUIRE(round);
    return *round;
}

}  // namespace

TEST_CASE("L1 of streams is what a round takes, to the picosecond", "[network]") {
    for (const bool user : {false, true}) {
        for (const char* const link : {"rate: 100 Gbps, delay: 390.4 ns", "rate: 10 Gbps, delay: 1 us"}) {
            RunConfig config = fast_pair(link);
            for (unsigned side = 0; side < 2; ++side) {
                set_xeon(config, side);
                if (user) verbs_of(config, side).host.tcp.place = TcpPlace::user;
            }
            const Round round = last_round(config);
            INFO(link << (user ? ", in user space" : ""));
            CHECK(lines_of(config).stream(round.begun).ps == round.one_way.ps);
        }
    }
}

TEST_CASE("L1 of verbs is what a round takes, to the picosecond", "[network]") {
    for (const char* const card : {"profile: cx5_100g", "profile: cx5_100g, rc: {inline: 0 B}",
                                   "profile: cx5_100g, rc: {mode: store_and_forward}"}) {
        RunConfig config = pair_of("operation: send, size: 64 B, pattern: ping_pong, transfers: 20", card,
                                   "rate: 100 Gbps, delay: 390.4 ns");
        for (unsigned side = 0; side < 2; ++side) set_xeon(config, side);
        const Round round = by_interrupts(config);
        INFO(card);
        CHECK(lines_of(config).verbs(round.begun).ps == round.one_way.ps);
    }
}

TEST_CASE("L1 and L2 of xeon_2018 with cx5_100g", "[network]") {
    RunConfig config = fast_pair();
    set_xeon(config, 0);
    const CheckLines lines = lines_of(config);
    CHECK(std::abs(lines.stream().ps - 12'000'000) < 300'000);
    CHECK(std::abs(lines.verbs().ps - 4'000'000) < 300'000);
    CHECK(std::abs(lines.sends() - 47) < 1);
    CHECK(std::abs(lines.receives() - 39) < 1);
}

TEST_CASE("L2 is what one core sends and receives, but for the beginning", "[network]") {
    RunConfig sender = fast_pair(), receiver = fast_pair();
    set_xeon(sender, 0);
    set_xeon(receiver, 1);
    const auto within = [](double found, double expected, double share) {
        INFO(found << ", expected " << expected);
        CHECK(found <= expected);
        CHECK(found >= expected * (1 - share));
    };
    within(bulk(sender), lines_of(sender).sends(), 0.015);
    const double receives = CheckLines(verbs_of(receiver, 1), receiver.links.at(0)).receives();
    within(bulk(receiver), receives, 0.04);  // behind each window it waits for the next one's first bytes
    for (unsigned side = 0; side < 2; ++side) verbs_of(receiver, side).host.tcp.window = 8U << 20U;
    within(bulk(receiver), receives, 0.01);
    // Of other costs.
    verbs_of(sender, 0).host.cpu.copy.cold = verbs_of(receiver, 1).host.cpu.copy.cold = 4'000'000'000;
    verbs_of(sender, 0).host.tcp.gso = verbs_of(receiver, 1).host.tcp.gro = 16384;
    within(bulk(sender, 8), lines_of(sender).sends(), 0.015);
    within(bulk(receiver, 8), CheckLines(verbs_of(receiver, 1), receiver.links.at(0)).receives(), 0.015);
}
