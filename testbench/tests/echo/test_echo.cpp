// SPDX-License-Identifier: Apache-2.0
// Is a folder with a line in each list enough for a card: keys, its host in a network, faults, counters, sums?
#include "testbench/kits/kits.h"
#include "testbench/records/run_result.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/tests/echo/echo_work.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string scenario_with(const std::string& keys, const std::string& link = "") {
    return R"(
system:
  hosts:
    asker: {rnic.personality: plain}
    mirror: {rnic.personality: echo)" +
           keys + R"(}
  links: [{between: [asker, mirror])" +
           link + R"(}]
run:
  repetitions: 1
  traffic:
    - {from: asker, to: mirror, application: echo_card, size: 100 B, transfers: 20}
)";
}

std::uint64_t counter(const RunResult& result, const std::string& name) {
    const auto found =
        std::ranges::find(result.counters, name, [](const auto& one) { return std::string_view(one.first); });
    REQUIRE(found != result.counters.end());
    return found->second;
}

}  // namespace

TEST_CASE("each frame comes back after two wires and the card's delay, exactly", "[echo]") {
    const RunConfig config = run_config(ScenarioFile(scenario_with(", rnic.echo.delay: 1234 ps")).load(), 0, 0, 0);
    const RunResult result = simulate(config);
    const LinkConfig& link = config.links.at(0);
    const Time way = link.timing.serialisation(frame_bytes(100)) + link.delay;
    REQUIRE(result.samples.size() == 20);
    for (const Sample& of : result.samples) {
        CHECK_FALSE(of.failed());
        CHECK(of.took() == way + way + Time{1234});
    }
    CHECK(counter(result, "mirror.echo.answered") == 20);
}

TEST_CASE("its answers wait for their wire, in the order in which they came", "[echo]") {
    std::string text = scenario_with("");
    const std::string size = "size: 100 B";
    text.replace(text.find(size), size.size(), "size: 1500 B");  // 12.3 us on the wire, one every microsecond
    const RunResult result = simulate(run_config(ScenarioFile(text).load(), 0, 0, 0));
    CHECK(std::ranges::is_sorted(result.samples, {}, &Sample::end));
    CHECK(counter(result, "mirror.echo.answered") == 20);
}

TEST_CASE("a damaged frame is counted, not answered, and its echo is lost", "[echo]") {
    const RunResult result =
        simulate(run_config(ScenarioFile(scenario_with("", ", corruption: 30 %")).load(), 0, 0, 0));
    const std::uint64_t at_card = counter(result, "mirror.echo.rx_bad_fcs");
    const std::uint64_t on_the_way_back = counter(result, "asker.rx_bad_fcs");
    CHECK(at_card != 0);
    CHECK(on_the_way_back != 0);
    CHECK(counter(result, "mirror.echo.answered") == 20 - at_card);
    const auto lost = static_cast<std::uint64_t>(std::ranges::count_if(result.samples, &Sample::failed));
    CHECK(lost == at_card + on_the_way_back);
}

TEST_CASE("its keys are checked, listed and in the reference as any other's", "[echo]") {
    CHECK_THAT(rejection(scenario_with(", rnic.echo.delay: 2 ms")), ContainsSubstring("delay"));
    CHECK_THAT(rejection(scenario_with(", rnic.echo.dely: 1 ns")), ContainsSubstring("delay"));
    CHECK_THAT(rejection(scenario_with(", rnic.pcie.lanes: 1")), ContainsSubstring("'mirror' answers frames"));
    CHECK_THAT(scenario_reference_markdown(), ContainsSubstring("### `system.rnic.echo`"));
    CHECK_THAT(scenario_json_schema(), ContainsSubstring("\"echo\""));
    CHECK(kits().size() == personalities().size());
}

TEST_CASE("a frame larger than its MTU is refused", "[echo]") {
    std::string text = scenario_with(", rnic.gmac.mtu: 90 B");
    CHECK_THAT(rejection(text), ContainsSubstring("90 B"));
}
