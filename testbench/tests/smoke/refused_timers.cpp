// SPDX-License-Identifier: Apache-2.0
// Settings that the reader refuses because no answer could arrive in time never work: if they are run nevertheless, no
// transfer completes.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

namespace rnicsim {
namespace {

class Dice {
  public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    template <typename T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[engine_() % values.size()];
    }

  private:
    std::mt19937 engine_;
};

struct Timer {
    const char* key;
    const char* budget;
    Cycle TransportConfig::*length;
};
constexpr Timer kRequest{"request_timer", "max_requests", &TransportConfig::request_timer};
constexpr Timer kData{"data_timer", "max_retransmissions", &TransportConfig::data_timer};
constexpr Timer kRelease{"release_timer", "max_retransmissions", &TransportConfig::release_timer};

/// A scenario with long timeouts, without the timer under test.
std::string draw(Dice& dice) {
    const std::string segment = dice.one_of({"64 B", "225 B", "1024 B"});
    std::string text = "system:\n  link: {" +
                       std::string(dice.one_of({"", "", "lateness: 1 us, duplication: 100 %, "})) +
                       "delay: " + dice.one_of({"40 ns", "1 us", "20 us", "1 ms"}) + "}\n";
    text += "  host:\n    registration: {base_cost: " + std::string(dice.one_of({"0 ns", "5 us", "100 us", "3 ms"})) +
            ", page_cost: " + dice.one_of({"0 ns", "200 ns", "20 us"}) + "}\n";
    text += "    memory: {latency: " + std::string(dice.one_of({"96 ns", "10 us"})) +
            ", bandwidth: " + dice.one_of({"1 MB/s", "1600 MB/s"}) + "}\n";
    text += std::string("    ") + dice.one_of({"", "", "bridge: {bandwidth: 1 MB/s, request_cost: 10 us}"}) + "\n";
    text += "  rnic:\n    gmac: {rx_latency: " + std::string(dice.one_of({"32 ns", "50 us"})) + "}\n";
    text += "    pcie: {latency: " + std::string(dice.one_of({"248 ns", "30 us"})) +
            ", request_overhead: " + dice.one_of({"304 ns", "40 us"}) + "}\n";
    text += "    drp: {segment: " + segment + ", window: " + dice.one_of({"1", "8", "64"}) +
            ", decision: " + dice.one_of({"32 ns", "64 ns", "504 ns", "4 us"}) +
            ", table_entries: " + dice.one_of({"8", "64", "1024"}) +
            ", max_requests: " + dice.one_of({"1", "2", "16"}) +
            ", max_retransmissions: " + dice.one_of({"1", "3", "16"}) + ", idle_timeout: 2 s}\n";
    text += "simulation: {watchdog: 10 s}\n";
    text += "run: {size: " + std::string(dice.one_of({"1 B", "1 KiB", "4 KiB", "64 KiB"})) +
            ", transfers: 10, in_flight: " + dice.one_of({"1", "3", "8"}) +
            ", operation: " + dice.one_of({"write", "read", "alternate"}) + ", repetitions: 1, methods: [" +
            dice.one_of({"traditional", "dynamic"}) + "]}\n";
    return text;
}

std::vector<Override> with(const Timer& timer, Cycle length) {
    std::vector<Override> timers;
    for (const Timer& each : {kRequest, kData, kRelease}) {
        const bool short_one = each.length == timer.length;
        timers.emplace_back(std::string("system.rnic.drp.") + each.key,
                            short_one ? std::to_string(8 * length.n) + " ns" : "0.1 s");
    }
    return timers;
}

/// The longest length of this timer that the reader refuses, in cycles; 0 if it refuses none.
Cycle longest_refused(const ScenarioFile& file, const Timer& timer) {
    const auto refused = [&](std::int64_t cycles) {
        const std::string said = file.rejection(with(timer, Cycle{cycles}));
        INFO(said);
        if (!said.empty()) REQUIRE(said.find(std::string(timer.key) + ": found ") != std::string::npos);
        return !said.empty();
    };
    std::int64_t low = 0;
    for (std::int64_t high = 12'500'000; low + 1 < high;) {
        const std::int64_t middle = (low + high) / 2;
        (refused(middle) ? low : high) = middle;
    }
    return Cycle{low};
}

TEST_CASE("a timer that the reader refuses is one with which no transfer completes", "[smoke]") {
    Dice dice(1);
    int refused = 0;
    int near = 0;
    for (int number = 0; number < 100; ++number) {
        const std::string text = draw(dice);
        const Timer timer = dice.one_of({kRequest, kData, kRelease});
        const ScenarioFile file(text);
        const Cycle longest = longest_refused(file, timer);
        if (longest.n == 0) continue;
        ++refused;
        const Scenario scenario = file.load(with(timer, Cycle{12'500'000}));
        RunConfig config = run_config(scenario, 0, 0, 0);
        const auto run = [&](std::int64_t cycles) {
            for (DrpEndConfig& end : drp_ends(config)) end.rnic.transport.*timer.length = Cycle{cycles};
            return simulate_apart(config);
        };
        INFO(text << timer.key << ": " << 8 * longest.n << " ns");
        const Outcome outcome = run(longest.n);
        CHECK(outcome.ran);
        CHECK(outcome.completed == 0);
        near += run(4 * longest.n + 1000).completed > 0 ? 1 : 0;
    }
    CHECK(refused > 20);
    CHECK(2 * near > refused);  // what is refused is not far from what works
}

}  // namespace
}  // namespace rnicsim
