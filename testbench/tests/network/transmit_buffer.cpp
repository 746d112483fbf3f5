// What stands between decision and wire: it hides the way of a payload from memory, and holds nothing up beyond that.
#include "testbench/run_result.h"
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
    for (const FrameRecord& f : result.frames) last = std::max(last, f.arrived);
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
    for (const FrameRecord& f : result.frames) {
        if (f.bytes != 16 || f.lost()) continue;
        sum += (f.arrived - f.ready).ps;
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

}  // namespace rnicsim
