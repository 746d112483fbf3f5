// SPDX-License-Identifier: Apache-2.0
// What it changes that a card does not store packets: latencies do not depend on the MTU.
#include "model/system.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/network/verbs_pairs.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// Of the last message, 4 KiB, with each PMTU: from the call until it has come, or is answered.
std::vector<std::int64_t> times_by_pmtu(const std::string& verb, const std::string& mode) {
    std::vector<std::int64_t> times;
    for (const char* const pmtu : {"512 B", "1024 B", "2 KiB", "4 KiB"}) {
        const RunConfig config = pair_of("operation: " + verb + ", size: 4 KiB, pattern: ping_pong, transfers: 10",
                                         "profile: cx5_100g, rc: {mode: " + mode + ", pmtu: " + pmtu + "}",
                                         "rate: 100 Gbps, delay: 390.4 ns");
        const auto took = in_child([&] {
            const Sample last = simulate(config).samples.back();
            return (last.end - last.start).ps;
        });
        REQUIRE(took);
        times.push_back(*took);
    }
    return times;
}

double spread(const std::vector<std::int64_t>& times) {
    const auto [least, most] = std::ranges::minmax(times);
    return static_cast<double>(most - least) / static_cast<double>(least);
}

TEST_CASE("latencies are independent of the MTU within 5 %, but not through cards that store packets", "[network]") {
    for (const char* const verb : {"write", "send", "read"}) {
        INFO(verb);
        CHECK(spread(times_by_pmtu(verb, "cut_through")) < 0.05);
        CHECK(spread(times_by_pmtu(verb, "store_and_forward")) > 0.15);
    }
}

}  // namespace
}  // namespace rnicsim
