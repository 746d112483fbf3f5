// SPDX-License-Identifier: Apache-2.0
// When a frame leaves a switch, and which one does not.
#include "model/network/switch/switch_logic.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <random>

namespace rnicsim {
namespace {

constexpr std::int64_t kLength = 1'074;  // a data frame of 1 KiB: 8.656 us with its preamble, 8.752 us with the gap
constexpr Time kFrame{8'752'000};

/// Three ports at 1 Gb/s; host i is at port i.
SwitchLogic star(const SwitchConfig& config = {}) {
    return {config, {std::vector<MacTiming>(3), {0, 1, 2}, std::vector<std::int64_t>(3)}};
}

SwitchLogic::Arrival frame(std::size_t port, unsigned to, std::int64_t length = kLength) {
    return {.port = port, .length = length, .to = to};
}

TEST_CASE("store and forward: the latency counts from the last bit, then comes the frame", "[network]") {
    SwitchLogic logic = star();
    const auto verdict = logic.arrives(kMicrosecond * 100, frame(0, 2));
    REQUIRE_FALSE(verdict.dropped);
    CHECK(verdict.departure->port == 2);
    CHECK(verdict.departure->begin == kMicrosecond * 102);
    CHECK(verdict.departure->end == kMicrosecond * 102 + kNanosecond * 8 * (8 + kLength));
}

TEST_CASE("of frames that come together the k-th waits for k others", "[network]") {
    SwitchLogic logic = star();
    for (int k = 0; k < 10; ++k) {
        const auto verdict = logic.arrives(kMicrosecond * 5, frame(k % 2, 2));
        CHECK(verdict.departure->begin == kMicrosecond * 7 + kFrame * k);
    }
    CHECK(logic.queued() == 10);
    CHECK(logic.queued_bytes() == 10 * kLength);
    logic.settle(kMicrosecond * 7 + kFrame * 3);
    CHECK(logic.queued() == 7);  // the gap behind the third is over
    CHECK(logic.counters(2).out == 3);
    CHECK(logic.counters(0).in == 5);
}

TEST_CASE("a port with another rate has its own bytes and gaps", "[network]") {
    SwitchLogic logic({}, {{MacTiming{}, MacTiming::of_rate(10'000'000'000)}, {0, 1}, {0, 0}});
    const auto first = logic.arrives(kMicrosecond, frame(0, 1));
    CHECK(first.departure->end - first.departure->begin == Time{800} * (8 + kLength));
    const auto second = logic.arrives(kMicrosecond, frame(0, 1));
    CHECK(second.departure->begin - first.departure->end == Time{800} * 12);
}

TEST_CASE("every reason to drop a frame has its counter, at the port where it came in", "[network]") {
    SwitchConfig config;
    config.buffer = 4'000;
    config.mtu = 1'100;
    const auto reason = [](SwitchLogic& logic, const SwitchLogic::Arrival& arrival) {
        return logic.arrives(kMicrosecond, arrival).dropped;
    };
    SwitchLogic logic = star(config);
    CHECK(reason(logic, frame(0, 2, 63)) == DropReason::runt);
    CHECK(reason(logic, frame(0, 2, 1'119)) == DropReason::oversize);
    CHECK_FALSE(reason(logic, frame(0, 2, 1'118)));
    SwitchLogic::Arrival damaged = frame(1, 2);
    damaged.fcs_good = false;
    CHECK(reason(logic, damaged) == DropReason::bad_fcs);
    CHECK(reason(logic, frame(1, 1)) == DropReason::no_route);  // never back to where it came from
    CHECK(reason(logic, frame(1, 7)) == DropReason::no_route);
    SwitchLogic::Arrival unknown = frame(1, 0);
    unknown.to.reset();
    CHECK(reason(logic, unknown) == DropReason::no_route);
    CHECK_FALSE(reason(logic, frame(0, 2, 1'000)));
    CHECK(reason(logic, frame(0, 2, 1'000)) == DropReason::threshold);
    const auto dropped = [&](std::size_t port, DropReason of) {
        return logic.counters(port).dropped.at(static_cast<std::size_t>(of));
    };
    CHECK(dropped(0, DropReason::runt) == 1);
    CHECK(dropped(0, DropReason::oversize) == 1);
    CHECK(dropped(1, DropReason::bad_fcs) == 1);
    CHECK(dropped(1, DropReason::no_route) == 3);
    CHECK(dropped(0, DropReason::threshold) == 1);
    CHECK(logic.counters(2).refused == 1);
    CHECK(logic.counters(0).dropped_bytes == 63 + 1'119 + 1'000);
}

TEST_CASE("what has left by the time of an arrival has made room for it", "[network]") {
    SwitchConfig config;
    config.buffer = 2'148;  // two frames; a queue of one is its share
    SwitchLogic logic = star(config);
    const Time end = logic.arrives(kMicrosecond, frame(0, 2)).departure->end;
    CHECK(logic.arrives(end - Time{1}, frame(1, 2)).dropped == DropReason::threshold);
    CHECK_FALSE(logic.arrives(end, frame(1, 2)).dropped);
}

/// Poisson arrivals of equal frames at a port: the mean wait of a queue M/D/1 is T rho / 2 (1 - rho).
double mean_wait(double load, int frames, std::uint64_t seed) {
    SwitchConfig config;
    config.buffer = std::int64_t{1} << 40;
    SwitchLogic logic = star(config);
    std::mt19937_64 draws(seed);
    std::exponential_distribution<double> gap(load / static_cast<double>(kFrame.ps));
    double at = 0;
    double waits = 0;
    for (int i = 0; i < frames; ++i) {
        at += gap(draws);
        const Time now{static_cast<std::int64_t>(at)};
        waits += static_cast<double>((logic.arrives(now, frame(0, 2)).departure->begin - now - kMicrosecond * 2).ps);
    }
    return waits / frames;
}

TEST_CASE("M/D/1: the mean wait is the closed form's, inside its 99 % interval", "[network]") {
    constexpr int kBatches = 20;
    constexpr double kT99 = 2.861;  // Student's t of 19 degrees of freedom
    for (const double load : {0.5, 0.8}) {
        double sum = 0;
        double squares = 0;
        for (int batch = 0; batch < kBatches; ++batch) {
            const double mean = mean_wait(load, 50'000, static_cast<std::uint64_t>(batch) + 1);
            sum += mean;
            squares += mean * mean;
        }
        const double mean = sum / kBatches;
        const double sd = std::sqrt((squares - sum * mean) / (kBatches - 1));
        const double expected = static_cast<double>(kFrame.ps) * load / (2 * (1 - load));
        INFO("load " << load << ": " << mean / 1e6 << " us, expected " << expected / 1e6);
        CHECK(std::abs(mean - expected) < kT99 * sd / std::sqrt(kBatches));
        CHECK(mean == Catch::Approx(expected).epsilon(0.02));
    }
}

TEST_CASE("more than a port carries: what is too much is dropped", "[network]") {
    SwitchConfig config;
    config.buffer = 128 * 1024;
    SwitchLogic logic = star(config);
    constexpr int kFrames = 100'000;
    constexpr double kLoad = 1.6;
    int dropped = 0;
    for (int i = 0; i < kFrames; ++i) {
        const Time now{static_cast<std::int64_t>(static_cast<double>(kFrame.ps) / kLoad * i)};
        dropped += logic.arrives(now, frame(0, 2)).dropped ? 1 : 0;
    }
    CHECK(static_cast<double>(dropped) / kFrames == Catch::Approx(1 - 1 / kLoad).epsilon(0.01));
}

TEST_CASE("whatever comes: no two frames overlap on a port, each queue keeps its order", "[network]") {
    std::mt19937 draws(11);
    SwitchConfig config;
    config.buffer = 20'000;
    SwitchLogic logic = star(config);
    std::vector<Time> free_at(3);
    Time now;
    for (int i = 0; i < 100'000; ++i) {
        now += Time{static_cast<std::int64_t>(draws() % 8'000'000)};
        const auto port = static_cast<std::size_t>(draws() % 3);
        const auto length = static_cast<std::int64_t>(64 + draws() % 1'455);
        const auto verdict = logic.arrives(now, frame(port, draws() % 3, length));
        if (verdict.dropped) continue;
        const auto& departure = *verdict.departure;
        REQUIRE(departure.port != port);
        REQUIRE(departure.begin >= now + kMicrosecond * 2);
        REQUIRE(departure.begin >= free_at[departure.port]);
        free_at[departure.port] = departure.end + MacTiming{}.gap();
    }
    logic.settle(kSecond * 10'000);
    CHECK(logic.queued() == 0);
    CHECK(logic.buffer().used() == 0);
}

}  // namespace
}  // namespace rnicsim
