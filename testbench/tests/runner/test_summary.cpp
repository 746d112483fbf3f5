// SPDX-License-Identifier: Apache-2.0
// From runs to rows.
#include "testbench/results/axis_column.h"
#include "testbench/results/manifest.h"
#include "testbench/results/summary.h"
#include "testbench/results/summary_csv.h"
#include "testbench/results/table.h"
#include "testbench/sweep/progress.h"
#include "testbench/tests/runner/fixture.h"
#include "testbench/tests/support/own_memory.h"
#include "testbench/workloads/transfers/transfer_sample.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

Summary summary_of(const Scenario& scenario) {
    return summarise(scenario, [&](const RunKey& key) {
        return fake_simulate(run_config(scenario, key.point, key.variant, key.repetition));
    });
}

}  // namespace

TEST_CASE("a row holds what the runs say") {
    const Summary summary = summary_of(small_scenario());
    REQUIRE(summary.points.size() == 2);
    const VariantSummary& row = summary.points[0].variants[0];
    CHECK(row.completed == 4);
    CHECK(row.failed == 2);
    CHECK(row.marked == 0);
    // Repetition 0: 100,000 and 101,000 cycles; repetition 1: 110,000 and 111,000. Failed transfers do not count.
    CHECK_THAT(row.repetition_means[0], WithinAbs(804, 1e-9));
    CHECK_THAT(row.repetition_means[1], WithinAbs(884, 1e-9));
    CHECK_THAT(row.time.mean, WithinAbs(844, 1e-9));
    CHECK_THAT(row.min, WithinAbs(800, 1e-9));
    CHECK_THAT(row.median, WithinAbs(844, 1e-9));
    CHECK_THAT(row.max, WithinAbs(888, 1e-9));
    // Two of three; the third has failed after 102,000 cycles, and 112,000, and begun at 2,000,000.
    CHECK_THAT(row.rate, WithinRel((2 / (2102000 * 0.008) + 2 / (2112000 * 0.008)) / 2, 1e-9));
    CHECK(row.counters == std::vector<std::pair<std::string, std::uint64_t>>{{"z.first", 3}, {"a.second", 20}});
    CHECK_THAT(summary.points[1].gain.mean, WithinAbs(0.1, 1e-9));
    CHECK(summary.totals.data_frames == 8 * 300);
    CHECK_THAT(summary.totals.run_seconds, WithinRel(2.0));
}

TEST_CASE("summary.csv, byte for byte") {
    Scenario scenario = small_scenario();
    scenario.points.resize(1);
    CHECK(summary_csv(scenario, summary_of(scenario)) ==
          "point,link.loss (%),method,repetitions,transfers_completed,transfers_failed,mean_us,sd_us,ci95_us,min_us,"
          "median_us,max_us,indirect_share,gain,gain_ci95,theory_us,theory_setup_us,setup_us,waiting_us,stalled_us,"
          "wire_us,retransmission_us,drain_us,release_us,repetition_means_us,z.first,a.second\n"
          "0,0,traditional,2,4,2,844.000000,56.568542,508.248189,800.000,844.000,888.000,0.000000,,,,,8.000000,"
          "0.000000,0.000000,832.000000,0.000000,0.000000,4.000000,804.000000 884.000000,3,20\n"
          "0,0,dynamic,2,4,2,759.600000,50.911688,457.423371,720.000,759.600,799.200,0.333333,0.100000,0.000000,,,"
          "8.000000,0.000000,0.000000,747.600000,0.000000,0.000000,4.000000,723.600000 795.600000,3,20\n");
}

TEST_CASE("a column of an axis has numbers, and its unit in the header") {
    const auto column = [](const std::vector<std::string>& values) {
        Scenario scenario;
        for (const std::string& value : values) scenario.points.emplace_back().values = {{"axis", value}};
        const AxisColumn one = axis_columns(scenario).at(0);
        std::string text = one.name;
        for (const std::string& value : values) text += ", " + one.cell(value);
        return text;
    };
    CHECK(column({"2 %", "10 %", "0.25 %"}) == "axis (%), 2, 10, 0.25");
    CHECK(column({"0 ns", "1.5 ms", "12 us", "80 ps"}) == "axis (us), 0, 1500, 12, 0.00008");
    CHECK(column({"64 B", "1.5 KiB", "16 MiB"}) == "axis (B), 64, 1536, 16777216");
    CHECK(column({"1 Gbps", "2.5Gbps", "300 kbps"}) == "axis (Gbps), 1, 2.5, 0.0003");
    CHECK(column({"800 MB/s"}) == "axis (GB/s), 0.8");
    CHECK(column({"8", "16"}) == "axis, 8, 16");
    CHECK(column({"write", "read"}) == "axis, write, read");
    CHECK(column({"1 us", "until_pushed"}) == "axis, 1 us, until_pushed");  // no numbers
    CHECK(column({"1 KiB", "5 %"}) == "axis, 1 KiB, 5 %");
    CHECK(column({"0 %, 1 ms", "5 %, 2 ms"}) == "axis, 0 %, 1 ms, 5 %, 2 ms");  // a row of two keys
}

TEST_CASE("an axis may not have the name of another column") {
    Scenario scenario = small_scenario();
    CHECK_NOTHROW(check_axis_names(scenario));
    for (const char* const taken : {"point", "method", "gain", "drain_us"}) {
        for (SweepPoint& point : scenario.points) point.values.front().first = taken;
        CHECK_THROWS_AS(check_axis_names(scenario), ScenarioError);
    }
}

TEST_CASE("counters add up over the repetitions, high-water marks do not") {
    RunResult first;
    first.counters = {{"a.x", 3}, {"a.buffer_high_water", 48}};
    RunResult second;
    second.counters = {{"a.x", 4}, {"a.buffer_high_water", 7}};
    const VariantSummary row = summarise({first, second});
    CHECK(row.counters == std::vector<std::pair<std::string, std::uint64_t>>{{"a.x", 7}, {"a.buffer_high_water", 48}});
}

TEST_CASE("one repetition has no interval, one method no gain") {
    Scenario scenario = small_scenario();
    scenario.variants = {"method", {"dynamic"}, {}};
    for (SweepPoint& point : scenario.points) point.configs.erase(point.configs.begin());
    scenario.repetitions = 1;
    const Summary summary = summary_of(scenario);
    CHECK(summary_csv(scenario, summary).find("0,0,dynamic,1,2,1,723.600000,,,720.000,723.600,727.200,0.333333,,,") !=
          std::string::npos);
    const std::string table = results_table(scenario, summary);
    CHECK(table.find("gain") == std::string::npos);
    CHECK(table.find("723.600 us (1 failed)") != std::string::npos);
}

TEST_CASE("a run without a completed transfer leaves its cells empty") {
    RunResult none;
    const VariantSummary row = summarise({none, none});
    CHECK(row.time.n == 0);
    CHECK(time_text(row.time) == "-");
    Scenario scenario = small_scenario();
    const Summary summary = summarise(scenario, [](const RunKey&) { return RunResult{}; });
    CHECK(summary_csv(scenario, summary).find("0,0,dynamic,2,0,0,,,,,,,,,,,,,,,,,,,- -\n") != std::string::npos);
    CHECK(results_table(scenario, summary).find('-') != std::string::npos);
}

TEST_CASE("transfers.csv, byte for byte") {
    Scenario scenario = small_scenario();
    scenario.points.resize(5, scenario.points.front());
    const RunKey key{4, 1, 1};
    const RunConfig config = two_drp_hosts();  // the default method is dynamic
    std::string text = transfers_csv_header(scenario, scope_of(scenario));
    write_transfers_csv(scenario, scope_of(scenario), key, fake_simulate(config),
                        [&](std::string_view row) { text += row; });
    CHECK(text ==
          "point,method,repetition,initiator,id,operation,start_cycle,end_cycle,time_us,mode,error,"
          "setup_cycles,waiting_cycles,stalled_cycles,wire_cycles,retransmission_cycles,drain_cycles,release_cycles\n"
          "4,dynamic,1,a,0,write,0,90000,720.000,direct,,1000,0,0,88500,0,0,500\n"
          "4,dynamic,1,a,1,write,1000000,1090900,727.200,indirect,,1000,0,0,89400,0,0,500\n"
          "4,dynamic,1,a,2,write,2000000,2091800,734.400,direct,request timeout,1000,0,0,"
          "90300,0,0,500\n");
}

TEST_CASE("the published value is shown at its point") {
    const Scenario scenario = small_scenario();
    CHECK(find_reference(scenario, 0) == nullptr);
    REQUIRE(find_reference(scenario, 1) != nullptr);  // "5%" is "5 %"
    CHECK(find_reference(scenario, 1)->gain == 0.1);
    const std::string table = results_table(scenario, summary_of(scenario));
    CHECK(table.find("10.0 %") != std::string::npos);
    CHECK(table.find("inside") != std::string::npos);
    CHECK(table.find("reference: a paper") != std::string::npos);

    Scenario further = scenario;
    further.points[1].values.emplace_back("size", "4 KiB");
    CHECK(find_reference(further, 1) == nullptr);
}

TEST_CASE("the table marks values outside the band") {
    Scenario scenario = small_scenario();
    scenario.reference[0].gain = 0.5;
    CHECK(results_table(scenario, summary_of(scenario)).find("outside") != std::string::npos);
}

TEST_CASE("a repetition whose base is 0 has no gain, and the table says of how many it is") {
    Scenario scenario = small_scenario();
    scenario.variants.compare->of = Statistic::failed_share;
    scenario.variants.compare->written = true;
    // Of the base one of three fails in the second repetition alone; of the other always.
    const auto simulated = [&](const RunKey& key) {
        RunResult result = fake_simulate(run_config(scenario, key.point, key.variant, key.repetition));
        for (Sample& t : result.samples) {
            const bool fails = t.id == 2 && (key.variant == 1 || key.repetition == 1);
            t.status = static_cast<std::uint8_t>(fails ? TransferError::data_timeout : TransferError::none);
        }
        return result;
    };
    const Summary summary = summarise(scenario, simulated);
    REQUIRE(summary.points[0].gain.n == 1);
    CHECK(results_table(scenario, summary).find("0.00 % of 1 of 2 repetitions") != std::string::npos);
}

TEST_CASE("the table calls traffic by its hosts, as the scenario does") {
    Scenario scenario = small_scenario();
    scenario.points.resize(1);
    RunConfig& config = scenario.points.front().configs.front();
    config.network = true;
    config.names = HostNames({"src0", "src1", "sink"});
    config.groups = {"src", "src", "sink"};
    config.traffic.assign(4, {});
    const std::vector<std::vector<unsigned>> from{{0}, {1}, {0, 1}, {2}};
    for (std::size_t i = 0; i < from.size(); ++i) {
        config.traffic[i].name = std::to_string(i);
        config.traffic[i].from = from[i];
        config.traffic[i].to = {2};
    }
    config.traffic[3].name = "back";
    Summary summary = summary_of(small_scenario());
    summary.points.resize(1);
    summary.points.resize(4, summary.points.front());
    for (std::size_t i = 0; i < summary.points.size(); ++i) summary.points[i].item = i;
    const std::string table = results_table(scenario, summary);
    for (const char* const said : {"  src0 to sink  ", "  src1 to sink  ", "  src to sink  ", "  back  "}) {
        CHECK(table.find(said) != std::string::npos);
    }
}

TEST_CASE("where all repetitions are alike, the table has no interval and says that nothing is random") {
    const Scenario scenario = small_scenario();
    const auto simulated = [&](const RunKey& key) {
        RunConfig config = run_config(scenario, key.point, key.variant, 0);
        if (key.point == 1) config.repetition = key.repetition;
        return fake_simulate(config);
    };
    const std::string table = results_table(scenario, summarise(scenario, simulated));
    CHECK(table.find("± 0.000") == std::string::npos);
    CHECK(table.find("\nWhere there is no ±, nothing is random: all repetitions are alike.\n") != std::string::npos);
    Scenario one = scenario;
    one.points.resize(1);
    const std::string alone = results_table(one, summarise(one, simulated));
    CHECK(alone.find("\nNothing is random here: all repetitions are alike.\n") != std::string::npos);
    // The mean of equal numbers is rounded.
    const std::vector<double> thirds(3, 0.1);
    CHECK(estimate(thirds).all_alike());
    CHECK_FALSE(estimate(std::vector<double>{0.1, 0.100001}).all_alike());
    CHECK_FALSE(estimate(std::vector<double>{0.1}).all_alike());
}

TEST_CASE("times have the unit that suits them") {
    CHECK(time_text({2, 1234.5678, 1, 12.3}) == "1.235 ± 0.012 ms");
    CHECK(time_text({2, 12.5, 1, 0.25}) == "12.500 ± 0.250 us");
    CHECK(time_text({2, 12.5, 0, 0}) == "12.500 us");
}

TEST_CASE("the manifest holds no absolute path") {
    Scenario scenario = small_scenario();
    scenario.file = "/elsewhere/small.yaml";
    const std::string text = manifest_json(scenario, summary_of(scenario), {{{"a.b", "5 %"}}, 2, 0, 1.0});
    CHECK(text.find("/elsewhere") == std::string::npos);
    CHECK(text.find("\"small.yaml\"") != std::string::npos);
    CHECK(text.find("\"a.b=5 %\"") != std::string::npos);
    CHECK(text.find("\"data_frames\": 2400") != std::string::npos);
}

TEST_CASE("the progress line tells runs, share, time left and rate") {
    Progress progress(10, 2, false);
    CHECK(progress.line(0) == "runs 2/10  20 %");
    progress.run_ended(1000);
    progress.run_ended(1000);
    CHECK(progress.line(4) == "runs 4/10  40 %  ETA 12 s  500 data frames/s");
}

TEST_CASE("a summary takes the same memory however many records a file holds") {
    const TemporaryFolder folder;
    constexpr std::uint32_t kMany = 400'000;
    {
        Records<Sample> records(kMany, folder.path() / "run.samples");
        for (std::uint32_t id = 0; id < kMany; ++id) {
            records[id].id = id;
            records[id].end = Time{std::int64_t{1 + id * 7919 % kMany} * 8000};
        }
    }
    std::vector<RunResult> runs(1);
    runs[0].samples = Records<Sample>::of(folder.path() / "run.samples");
    const std::int64_t before = own_memory();
    const VariantSummary row = summarise(runs, 0, Statistic::p99);
    CHECK(own_memory() - before < 12 << 20);  // a sixth of the records is there at once; all of them would be 45 MB
    CHECK(row.completed == kMany);
    CHECK(row.min == 0.008);
    CHECK_THAT(row.median, WithinRel(0.008 * (kMany + 1) / 2, 1e-12));
    CHECK_THAT(row.compared[0], WithinRel(0.008 * kMany * 0.99, 1e-12));
}
