// SPDX-License-Identifier: Apache-2.0
// What stands between decision and wire: it hides the way of a payload from memory, and holds nothing up beyond that.
#include "testbench/records/run_result.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

namespace rnicsim {
namespace {

/// A stream of WRITEs of 1 MiB, and others beside it that leave one at a time.
RunConfig beside_a_stream(const std::string& rc, const std::string& small) {
    return run_config(ScenarioFile("system:\n  rnic: {profile: cx5_100g" + rc +
                                   "}\n  link: {rate: 100 Gbps, delay: 390.4 ns}\n  hosts: {a: {}, b: {}}\n  links: "
                                   "[{between: [a, b]}]\nrun:\n  repetitions: 1\n  traffic:\n    - {from: a, to: b, "
                                   "size: 1 MiB, depth: 8, transfers: 20}\n" +
                                   small)
                          .load(),
                      0, 0, 0);
}

Time last_arrival(const RunResult& result) {
    Time last;
    for (const Sample& f : result.samples) last = std::max(last, f.end);
    return last;
}

}  // namespace

TEST_CASE("V-R2: a small WRITE waits for what hides the DMA's way, not for a buffer full of a stream", "[network]") {
    const RunResult result =
        simulate(beside_a_stream("", "    - {from: a, to: b, size: 16 B, depth: 1, transfers: 100}\n"));
    // Alone it takes 1.6 us; beside the stream it waits for at most a buffer of 16 KiB at the line's rate, and for its
    // turn.
    constexpr std::int64_t kAlone = 1'620'000, kFull = 16 * 1024 * 80, kTurns = 800'000;
    std::int64_t sum = 0, count = 0;
    for (const Sample& f : result.samples) {
        if (f.bytes != 16 || f.failed()) continue;
        sum += (f.end - f.start).ps;
        ++count;
    }
    REQUIRE(count == 100);
    INFO("mean " << sum / count << " ps");
    CHECK(sum / count < kAlone + kFull + kTurns);
}

TEST_CASE("V-R2: ... and a larger buffer makes no stream faster", "[network]") {
    for (const char* const pmtu : {"256 B", "1024 B", "4096 B"}) {
        const std::string card = std::string(", rc: {pmtu: ") + pmtu;
        const auto time_with = [&](const std::string& buffer) {
            const auto last =
                in_child([&] { return last_arrival(simulate(beside_a_stream(card + buffer + "}", ""))).ps; });
            REQUIRE(last);
            return static_cast<double>(*last);
        };
        const double own = time_with(""), large = time_with(", tx_buffer: 1 MiB");
        INFO("pmtu " << pmtu << ": " << own << " ps, " << large << " ps");
        CHECK(own < large * 1.001);
    }
}

TEST_CASE("V-R2: a packet that is sent while it comes has its room until its last byte has come", "[network]") {
    // There is room for one frame, and PCIe is slower than the wire: the next packet is decided about `tx_path` behind
    // the last byte of the one before it. A stored one goes to the MAC in that cycle, and makes room for the next one.
    const auto end_of = [](const std::string& mode) {
        const auto last = in_child([&] {
            return last_arrival(simulate(beside_a_stream(
                                    ", pcie: {lanes: 1}, rc: {pmtu: 4 KiB, tx_buffer: 5 KiB, mode: " + mode + "}", "")))
                .ps;
        });
        REQUIRE(last);
        return *last;
    };
    const std::int64_t stored = end_of("store_and_forward"), cut = end_of("cut_through");
    // The way of the last packet is shorter, by less than 1 us.
    constexpr std::int64_t kPackets = 20 * 256, kCycle = 3200;
    INFO(stored << " ps, " << cut << " ps");
    CHECK(cut < stored);
    CHECK(cut > stored - kPackets * kCycle - kMicrosecond.ps);
}

TEST_CASE("V-R2: ... so a SEND that is posted behind it on the link has its turn as soon as with stored packets",
          "[network]") {
    for (const char* const lanes : {"1", "4", "8"}) {
        const auto mean_with = [&](const std::string& mode) {
            const auto sum = in_child([&] {
                const RunResult result = simulate(beside_a_stream(
                    std::string(", pcie: {lanes: ") + lanes + "}, rc: {pmtu: 4 KiB, mode: " + mode + "}",
                    "    - {from: a, to: b, operation: send, size: 700 B, depth: 1, transfers: 100}\n"));
                Time all;
                for (const Sample& f : result.samples) {
                    if (f.bytes == 700) all += f.end - f.start;
                }
                return all.ps;
            });
            REQUIRE(sum);
            return static_cast<double>(*sum);
        };
        const double stored = mean_with("store_and_forward"), cut = mean_with("cut_through");
        INFO(lanes << " lanes: " << stored << " ps, " << cut << " ps");
        CHECK(cut < stored * 1.01);  // with its room free from the first byte on: 10 to 27 % more
    }
}

}  // namespace rnicsim
