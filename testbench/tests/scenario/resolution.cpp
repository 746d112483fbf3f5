// SPDX-License-Identifier: Apache-2.0
// Resolved scenarios: units, defaults, values per end, sweeps; and the documents made from the declaration.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>

#include "model/rnic/drp/end/end_config.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/resolve.h"
#include "testbench/scenario/schema.h"
#include "testbench/tests/scenario/scenario_file.h"

namespace rnicsim {
namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST_CASE("units become cycles and bytes", "[scenario]") {
    const Scenario s = ScenarioFile(
                           "system:\n  link: {delay: 1.6 us, loss: 0.5 %}\n"
                           "  rnic: {drp: {request_timer: 2.4 ms, indirect_buffer: 48 KiB}}\n"
                           "run: {size: 1.5 KiB}\n")
                           .load();
    const RunConfig& c = s.points.at(0).configs.front();
    CHECK(c.links[0].delay == kNanosecond * 1600);
    CHECK(c.links[0].loss == 0.005);
    CHECK(drp_of(c, 0).rnic.transport.request_timer == Cycle{300'000});
    CHECK(drp_of(c, 1).rnic.transport.indirect_buffer == 49'152);
    CHECK(c.traffic[0].size == 1536);
}

TEST_CASE("every unit of a rate is the decimal one", "[scenario]") {
    for (const auto& [text, bytes] :
         {std::pair{"7000 KB/s", 7'000'000}, {"7 MB/s", 7'000'000}, {"1.5 GB/s", 1'500'000'000}}) {
        const std::string scenario = "system: {host: {memory: {bandwidth: " + std::string(text) + "}}}\n";
        CHECK(drp_of(ScenarioFile(scenario).load().points[0].configs.front(), 0).host.memory.bytes_per_second == bytes);
    }
}

TEST_CASE("a ping fills the MTU and no more", "[scenario]") {
    CHECK(rejection("system: {host: {ping: {sizes: [1500 B]}}}\n").empty());
    CHECK_FALSE(rejection("system: {host: {ping: {sizes: [1501 B]}}}\n").empty());
    CHECK_FALSE(rejection("system: {rnic: {gmac: {mtu: 1499 B}}, host: {ping: {sizes: [1500 B]}}}\n").empty());
}

TEST_CASE("a rate that is whole in no unit is listed as it is", "[scenario]") {
    const Scenario s = ScenarioFile("system: {host: {memory: {bandwidth: 1600.000001 MB/s}}}\n").load();
    CHECK(drp_of(s.points[0].configs.front(), 0).host.memory.bytes_per_second == 1'600'000'001);
    CHECK(s.resolved.find("bandwidth: 1600000.001 KB/s\n") != std::string::npos);
}

TEST_CASE("an empty scenario is all defaults, each of them legal", "[scenario]") {
    const Scenario s = ScenarioFile("run: {}\n").load();
    CHECK(s.points.size() == 1);
    CHECK(s.variants.names == std::vector<std::string>{"traditional", "dynamic"});
    CHECK(s.repetitions == 5);
    CHECK(s.points[0].configs.front().traffic[0].size == 131'072);
    for (const Key& key : all_keys()) {
        if (is_list(key.kind)) continue;
        Value value;
        std::string expected;
        INFO(key.path);
        CHECK(read_value(key, std::string(key.fallback), value, expected));
        Value again;
        CHECK(read_value(key, write_value(key, value), again, expected));
        CHECK(again.number == value.number);
        CHECK(again.fraction == value.fraction);
    }
}

TEST_CASE("every declared key is resolved, and no other", "[scenario]") {
    std::vector<std::string> declared;
    // Keys of an application are asked for where an item names it.
    for (const Key& key : all_keys())
        if (!is_of_an_application(key.path)) declared.emplace_back(key.path);
    std::ranges::sort(declared);
    CHECK(resolved_keys() == declared);
}

TEST_CASE("an end's own value wins over the common one, for that end", "[scenario]") {
    const Scenario s = ScenarioFile("system:\n  rnic: {pcie: {lanes: 4}}\n  b: {rnic: {pcie: {lanes: 8}}}\n").load();
    CHECK(drp_of(s.points[0].configs.front(), 0).rnic.pcie.lanes == 4);
    CHECK(drp_of(s.points[0].configs.front(), 1).rnic.pcie.lanes == 8);
}

TEST_CASE("a sweep is the product of its axes, the first one slowest", "[scenario]") {
    const Scenario s =
        ScenarioFile(
            "run:\n  sweep:\n"
            "    - {name: p, keys: [system.link.loss, system.host.registration.failure], values: [1 %, 2 %]}\n"
            "    - {keys: [system.rnic.drp.window], values: [4, 8, 16]}\n")
            .load();
    REQUIRE(s.points.size() == 6);
    using Labels = std::vector<std::pair<std::string, std::string>>;
    CHECK(s.points[1].values == Labels{{"p", "1 %"}, {"window", "8"}});
    CHECK(s.points[3].values == Labels{{"p", "2 %"}, {"window", "4"}});
    CHECK(s.points[3].configs.front().links[0].loss == 0.02);
    CHECK(drp_of(s.points[3].configs.front(), 1).host.registration.failure == 0.02);
    CHECK(drp_of(s.points[5].configs.front(), 0).rnic.transport.window == 16);
}

TEST_CASE("overrides win, and a sweep can be taken away", "[scenario]") {
    const ScenarioFile file(
        "system: {link: {loss: 1 %}}\nrun:\n  sweep:\n    - {keys: [run.in_flight], values: [1, 2]}\n");
    const Scenario s = file.load({{"system.link.loss", "3 %"}, {"run.methods", "[dynamic]"}, {"run.sweep", "null"}});
    CHECK(s.points.size() == 1);
    CHECK(s.points[0].configs.front().links[0].loss == 0.03);
    CHECK(s.variants.names == std::vector<std::string>{"dynamic"});
}

TEST_CASE("run_config sets method and repetition of both ends", "[scenario]") {
    const Scenario s = ScenarioFile("run: {}\n").load();
    const RunConfig c = run_config(s, 0, 0, 3);
    CHECK(c.repetition == 3);
    CHECK(drp_of(c, 0).rnic.transport.method == Method::traditional);
    CHECK(drp_of(c, 1).rnic.transport.method == Method::traditional);
}

TEST_CASE("the resolved listing is a scenario with the same meaning", "[scenario]") {
    const std::filesystem::path fig6 = std::filesystem::path(RNICSIM_SOURCE_DIR) / "scenarios/paper/fig6_joint.yaml";
    const Scenario first = load_scenario(fig6);
    const Scenario second = ScenarioFile(first.resolved).load();
    CHECK(second.resolved == first.resolved);
    CHECK(second.points.size() == first.points.size());
}

TEST_CASE("the composition shows each end with its own values and marks what is swept", "[scenario]") {
    const Scenario s = ScenarioFile(
                           "system:\n  rnic: {pcie: {lanes: 4}}\n  b: {rnic: {pcie: {lanes: 8}}}\n"
                           "run:\n  sweep:\n    - {name: loss, keys: [system.link.loss], values: [1 %]}\n")
                           .load();
    const auto a = s.composition.find("  a:\n");
    const auto b = s.composition.find("  b:\n");
    REQUIRE(a != std::string::npos);
    REQUIRE(b != std::string::npos);
    CHECK(s.composition.find("lanes: 4", a) < b);
    CHECK(s.composition.find("lanes: 8", b) != std::string::npos);
    CHECK(s.composition.find("loss: swept, axis loss") != std::string::npos);
}

TEST_CASE("every shipped scenario is legal", "[scenario]") {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(RNICSIM_SOURCE_DIR) / "scenarios")) {
        if (entry.path().extension() != ".yaml") continue;
        INFO(entry.path());
        CHECK_NOTHROW(load_scenario(entry.path()));
        ++count;
    }
    CHECK(count >= 5);
}

TEST_CASE("a tiny probability is listed in a form that can be read again", "[scenario]") {
    const Scenario scenario = ScenarioFile("system: {link: {loss: 0.00000001 %}}\n").load();
    CHECK(scenario.resolved.find("loss: 0.00000001 %\n") != std::string::npos);
    CHECK(ScenarioFile("system: {link: {duplication: 100 %}}\n").load().resolved.find("duplication: 100 %\n") !=
          std::string::npos);
}

TEST_CASE("the excerpt of the reference and the schema in the repository are what the keys give", "[scenario]") {
    const std::filesystem::path folder = std::filesystem::path(RNICSIM_SOURCE_DIR) / "scenarios";
    const std::string readme = contents(folder / "README.md");
    const std::string begin = "<!-- keys: begin -->\n";
    const auto from = readme.find(begin);
    REQUIRE(from != std::string::npos);
    const auto to = readme.find("<!-- keys: end -->");
    const std::string excerpt = readme.substr(from + begin.size(), to - from - begin.size());
    CHECK(excerpt.starts_with("### `system.link`\n"));
    CHECK(scenario_reference_markdown().find(excerpt) != std::string::npos);
    CHECK(contents(folder / "schema.json") == scenario_json_schema());
}

}  // namespace
}  // namespace rnicsim
