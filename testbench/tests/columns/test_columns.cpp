// SPDX-License-Identifier: Apache-2.0
// Is a row of the list enough for a column of summary.csv? Which columns does a scenario have?
#include "testbench/results/columns.h"
#include "testbench/results/summary_csv.h"
#include "testbench/results/text.h"
#include "testbench/tests/runner/fixture.h"
#include "testbench/workloads/messages/message_sample.h"
#include "testbench/workloads/transfers/transfer_sample.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

namespace {

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    return fields;
}

/// One run of three transfers.
Scenario scenario_of_one_run() {
    Scenario scenario = small_scenario();
    scenario.variants = {"method", {"dynamic"}, {}};
    scenario.repetitions = 1;
    scenario.points.resize(1);
    scenario.points[0].configs.erase(scenario.points[0].configs.begin());
    scenario.points[0].configs[0].traffic[0].transfers = 3;
    return scenario;
}

}  // namespace

TEST_CASE("one more row of the list is one more column, in its place and with its values", "[columns]") {
    const Scenario scenario = scenario_of_one_run();
    const Summary summary = summarise(scenario, [&](const RunKey& key) {
        return simulate(run_config(scenario, key.point, key.variant, key.repetition));
    });
    std::istringstream table(summary_csv(scenario, summary));
    std::string line;
    REQUIRE(std::getline(table, line));
    const std::vector<std::string> names = fields_of(line);
    const auto at = std::ranges::find(names, "slowest_repetition_us");
    REQUIRE(at != names.end());
    CHECK(*(at - 1) == "theory_setup_us");
    std::size_t rows = 0;
    for (const PointSummary& point : summary.points) {
        for (const VariantSummary& variant : point.variants) {
            REQUIRE(std::getline(table, line));
            double slowest = 0;
            for (const double mean : variant.repetition_means) slowest = std::max(slowest, mean);
            REQUIRE(slowest > 0);
            CHECK(fields_of(line).at(static_cast<std::size_t>(at - names.begin())) == fixed(slowest, 6));
            ++rows;
        }
    }
    CHECK(rows == 1);
}

TEST_CASE("an axis may not have the name of the new column", "[columns]") {
    Scenario scenario = small_scenario();
    for (SweepPoint& point : scenario.points) point.values.front().first = "slowest_repetition_us";
    CHECK_THROWS_AS(check_axis_names(scenario), ScenarioError);
}

TEST_CASE("columns are those of the kinds of work that the scenario has", "[columns]") {
    const std::array<const char*, 5> of_transfers{"indirect_share", "theory_us", "theory_setup_us", "setup", "release"};
    for (const bool messages : {false, true}) {
        Scope scope;
        scope.kinds = {messages ? &kMessageSample : &kTransferSample};
        std::vector<std::string_view> names = scope.parts();
        for (const Column& column : columns())
            if (column.in(scope)) names.push_back(column.name);
        for (const char* const name : of_transfers) CHECK((std::ranges::find(names, name) != names.end()) == !messages);
        CHECK((std::ranges::find(names, "rnr") != names.end()) == messages);
        CHECK(std::ranges::count(names, "wire") == 1);
    }
    Scope both;
    both.kinds = {&kTransferSample, &kMessageSample};
    CHECK(both.parts().size() == kTransferParts + 5);  // `wire` and `retransmission` stand once
}

TEST_CASE("columns of a bridge are there where one is", "[columns]") {
    for (const char* const name : {"tlps_per_message", "partial_share", "credit_stalls", "unsupported_requests"}) {
        const auto column = std::ranges::find(columns(), name, &Column::name);
        REQUIRE(column != columns().end());
        Scope scope;
        scope.network = true;
        CHECK(!column->in(scope));
        scope.bridges = true;
        CHECK(column->in(scope));
    }
    Scenario scenario = small_scenario();
    CHECK(!scope_of(scenario).bridges);
    scenario.points[0].configs[0].bridges.emplace_back();
    CHECK(scope_of(scenario).bridges);
}

TEST_CASE("the mark of a frame is no indirect transfer", "[columns]") {
    Scenario scenario = small_scenario();
    PointSummary point;
    point.variants.resize(2);
    point.variants[0].completed = point.variants[0].marked = 4;
    const auto column = std::ranges::find(columns(), "indirect_share", &Column::name);
    REQUIRE(column != columns().end());
    CHECK(column->cell({scenario, point, 0}) == "1.000000");
    scenario.points[0].configs[0].traffic[0].workload = Workload::frames;
    CHECK(column->cell({scenario, point, 0}) == "0.000000");
}
