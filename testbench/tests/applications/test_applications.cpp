// SPDX-License-Identifier: Apache-2.0
// Are a folder and two lines enough for an application: a key, a run, samples, tables?
#include "testbench/results/summary.h"
#include "testbench/results/summary_csv.h"
#include "testbench/tests/applications/beacon_work.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

using namespace rnicsim;

namespace {

constexpr const char* kScenario = R"(
system:
  hosts: {router: {count: 3, rnic.personality: plain}}
  switches: {s: {}}
  links: [{between: [router, s]}]
run:
  repetitions: 1
  traffic:
    - {from: router, to: router, application: APPLICATION, size: 100 B, transfers: 6, pace: 1 Mbps}
)";

std::string text_with(const std::string& application) {
    std::string text = kScenario;
    const std::string place = "APPLICATION";
    return text.replace(text.find(place), place.size(), application);
}

}  // namespace

TEST_CASE("its items are its own: samples, their times and the columns of its parts", "[applications]") {
    const Scenario scenario = ScenarioFile(text_with("beacon")).load();
    const RunConfig config = run_config(scenario, 0, 0, 0);
    REQUIRE(config.traffic.at(0).application == "beacon");
    const RunResult result = simulate(config);
    REQUIRE(result.samples.size() == 18);  // three routers, three rounds to two others each
    CHECK(std::ranges::none_of(result.samples, &Sample::failed));
    // 100 B a round at 1 Mb/s: each begins 800 us behind the one before.
    for (const Sample& of : result.samples)
        CHECK(of.start == kMicrosecond + kMicrosecond * 800 * static_cast<std::int64_t>(of.id / 2));
    // The shortest takes the wire, the switch and the wire; all that one sends at a time share its wire.
    for (const Sample& of : result.samples) CHECK(of.parts[0] == of.took().ps);
    const runner::Summary summary =
        runner::summarise(scenario, [&](const runner::RunKey&) { return RunResult(result); });
    const std::string table = runner::summary_csv(scenario, summary);
    CHECK_THAT(table, Catch::Matchers::ContainsSubstring(",flight_us,repetition_means_us,"));
    CHECK(table.find("waiting_us") == std::string::npos);
}

TEST_CASE("without its word plain hosts do what they do by themselves", "[applications]") {
    const RunConfig config = run_config(ScenarioFile(text_with("none")).load(), 0, 0, 0);
    CHECK(config.traffic.at(0).application.empty());
    CHECK(&sample_kind(config.traffic.at(0)) != &kBeaconSample);
}

TEST_CASE("another word is refused, with those that there are", "[applications]") {
    CHECK_THAT(rejection(text_with("becon")), Catch::Matchers::ContainsSubstring("beacon"));
}
