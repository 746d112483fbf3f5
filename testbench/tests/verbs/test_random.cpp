// SPDX-License-Identifier: Apache-2.0
// Invariants of VERBS.md 8 in random runs (random_run.h). A breach names its seed.
#include "testbench/tests/verbs/random_run.h"
#include "testbench/tests/verbs/unreliable_run.h"

#include <catch2/catch_test_macros.hpp>

namespace rnicsim::rc {
namespace {

struct Sums {
    std::uint64_t packets = 0, resent = 0, rnr_naks = 0, early = 0, cnps = 0, packs = 0;
};

Sums run_all(std::uint64_t first_seed, std::uint64_t runs, std::uint32_t faults, bool cut, bool selective = false,
             bool marks = false, bool durable = false, bool by_processor = false) {
    Sums sums;
    for (std::uint64_t seed = first_seed; seed < first_seed + runs; ++seed) {
        INFO("seed " << seed);
        RandomRun run({seed, faults, cut, selective, marks, durable, by_processor});
        REQUIRE(run.run() == "");  // NOLINT(readability-container-size-empty): a failure shows the text
        sums.packets += run.packets;
        sums.resent += run.resent;
        sums.rnr_naks += run.rnr_naks;
        sums.early += run.early;
        sums.cnps += run.cnps;
        sums.packs += run.packs;
    }
    return sums;
}

}  // namespace

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: random messages without faults", "[verbs]") {
    const Sums sums = run_all(1, 1000, 0, false);
    CHECK(sums.packets > 10'000);
    CHECK(sums.rnr_naks > 100);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: frames lost, copied, overtaken, timers early",
          "[verbs]") {
    const Sums sums = run_all(100'000, 6000, 6, false);
    CHECK(sums.resent > 10'000);
    CHECK(sums.rnr_naks > 1000);
    CHECK(sums.early == 0);
}

TEST_CASE("V-P3, V-P4, V-P5: what is to be durable among random messages, with faults", "[verbs]") {
    CHECK(run_all(600'000, 1000, 0, false, false, false, true).packs > 500);
    CHECK(run_all(610'000, 6000, 6, false, false, false, true).resent > 5000);
    CHECK(run_all(620'000, 4000, 6, false, true, false, true).packs > 1000);
    run_all(630'000, 2000, 4, true, false, false, true);
}

TEST_CASE("V-P6, V-P7: what processors make durable, with faults", "[verbs]") {
    CHECK(run_all(640'000, 1000, 0, false, false, false, true, true).packs > 500);
    CHECK(run_all(650'000, 6000, 6, false, false, false, true, true).resent > 5000);
    CHECK(run_all(660'000, 4000, 6, false, true, false, true, true).packs > 1000);
    run_all(670'000, 2000, 4, true, false, false, true, true);
}

TEST_CASE("V-I7, V-I10: when the wire is cut, RETRY_EXC after exactly retry_cnt + 1 tries, and every WQE ends",
          "[verbs]") {
    run_all(200'000, 2000, 4, true);
    run_all(5'002'960, 1, 4, true);  // progress when the oldest packet is about to be sent again, and then it is kept
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... with selective_repeat, as well", "[verbs]") {
    const Sums sums = run_all(300'000, 8000, 6, false, true);
    CHECK(sums.resent > 10'000);
    CHECK(sums.rnr_naks > 1000);
    CHECK(sums.early > 300);
    run_all(400'000, 2000, 4, true, true);
}

TEST_CASE("V-I2, V-I3, V-I4, V-I5, V-I6, V-I7, V-I9, V-I10, V-I11: ... and with packets that are marked and paced",
          "[verbs]") {
    CHECK(run_all(500'000, 1000, 6, false, false, true).cnps > 1000);
    CHECK(run_all(510'000, 1000, 6, false, true, true).cnps > 1000);
}

TEST_CASE("V-I2, V-I6, V-I7, V-I11, V-U1, V-U2, V-U3: UC and UD, frames lost, copied, overtaken, late receives",
          "[verbs]") {
    for (const Service service : {Service::unreliable, Service::datagram}) {
        for (const bool faults : {false, true}) {
            for (const bool late : {false, true}) {
                UnreliableRun sums({0, service, faults, late});
                for (std::uint64_t seed = 600'000; seed < 601'000; ++seed) {
                    INFO("seed " << seed << ", service " << static_cast<int>(service));
                    UnreliableRun run({seed, service, faults, late});
                    REQUIRE(run.run() == "");  // NOLINT(readability-container-size-empty): a failure shows the text
                    sums.packets += run.packets;
                    sums.whole += run.whole;
                    sums.received += run.received;
                    sums.dropped += run.dropped;
                    sums.bad_queue_keys += run.bad_queue_keys;
                }
                CHECK(sums.packets > 8000);
                CHECK(sums.received > 3000);
                CHECK((sums.dropped > 500) == (late || (faults && service == Service::unreliable)));
                CHECK((sums.bad_queue_keys > 1000) == (service == Service::datagram));
            }
        }
    }
}

}  // namespace rnicsim::rc
