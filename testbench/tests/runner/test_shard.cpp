// SPDX-License-Identifier: Apache-2.0
// Shards of a sweep: their runs, their files, how they continue, and their locks.
#include "testbench/tests/runner/shard_fixture.h"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <csignal>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "testbench/results/output_folder.h"
#include "testbench/results/products.h"

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

TEST_CASE("every run belongs to one shard, and shares differ by one at most") {
    for (std::size_t runs = 0; runs < 30; ++runs) {
        for (std::size_t count = 1; count < 12; ++count) {
            std::size_t sum = 0;
            for (std::size_t index = 1; index <= count; ++index) {
                const Shard shard{index, count};
                std::size_t own = 0;
                for (std::size_t run = 0; run < runs; ++run) {
                    CHECK(shard.has(run) == (run % count == index - 1));
                    CHECK(shard.has(run) == (shard_of(run, count) == shard));
                    own += shard.has(run) ? 1 : 0;
                }
                CHECK(shard.share(runs) == own);
                CHECK(own >= runs / count);
                CHECK(own <= runs / count + 1);
                sum += own;
            }
            CHECK(sum == runs);
        }
    }
}

TEST_CASE("option --shard") {
    CHECK(parse_shard("1/1") == Shard{1, 1});
    CHECK(parse_shard("7/12") == Shard{7, 12});
    CHECK(parse_shard("7/12").label() == "7/12");
    for (const char* const bad : {"", "1", "/", "0/4", "5/4", "1/0", "-1/4", "1/4x", "a/4", " 1/4", "1/2/3",
                                  "1/1000001", "1/99999999999999999999"}) {
        INFO(bad);
        try {
            parse_shard(bad);
            FAIL("accepted");
        } catch (const ScenarioError& e) {
            CHECK(std::string(e.what()) ==
                  "--shard " + std::string(bad) + ": expected I/N with 1 <= I <= N <= 1000000, e.g. --shard 1/4");
        }
    }
}

TEST_CASE("a shard leaves its runs and no results") {
    const TemporaryFolder folder;
    CHECK(simulate_shard(folder.path(), "2/3") == kOk);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "summary.csv"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "manifest.json"));
    const Scenario scenario = small_scenario();
    const Journal journal(scenario, folder.path());
    const std::vector<RunKey> keys = all_runs(scenario);
    REQUIRE(keys.size() == 8);
    for (std::size_t run = 0; run < keys.size(); ++run) CHECK(journal.read(keys[run]).has_value() == (run % 3 == 1));
    const std::vector<ShardRecord> records = read_records(folder.path());
    REQUIRE(records.size() == 1);
    CHECK(records[0].shard == Shard{2, 3});
    CHECK(records[0].jobs == 1);
    CHECK(records[0].wall_seconds > 0);
}

TEST_CASE("a shard none of whose runs succeeded is no foreign folder, only incomplete") {
    const TemporaryFolder folder;
    const auto fails = [](const RunConfig&) -> RunResult { throw RunError("no"); };
    CHECK(run_sweep(small_scenario(), options(folder.path(), "1/1"), fails, never) == kSimulationFailed);
    CHECK(runs_in(folder.path() / "runs") == 0);
    CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kIncomplete);
    CHECK(simulate_shard(folder.path(), "1/1") == kOk);
    CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kOk);
}

TEST_CASE("a shard that lost workers continues with what is missing") {
    const TemporaryFolder folder;
    const auto dies = [](const RunConfig& config) -> RunResult {
        if (config.links[0].loss > 0) raise(SIGKILL);
        return fake_simulate(config);
    };
    const Scenario scenario = small_scenario();
    CHECK(run_sweep(scenario, options(folder.path(), "1/2"), dies, never) == kIncomplete);
    CHECK(runs_in(folder.path() / "runs") == 2);
    CHECK(simulate_shard(folder.path(), "2/2") == kOk);
    CHECK(merge_shards(scenario, options(folder.path()), {}) == kIncomplete);
    const double before = read_records(folder.path()).at(0).wall_seconds;

    const auto only_lossy = [](const RunConfig& config) -> RunResult {
        if (config.links[0].loss == 0) throw RunError("simulated again");
        return fake_simulate(config);
    };
    CHECK(run_sweep(scenario, options(folder.path(), "1/2"), only_lossy, never) == kOk);
    CHECK(read_records(folder.path()).at(0).wall_seconds > before);
    CHECK(merge_shards(scenario, options(folder.path()), {}) == kOk);
    const TemporaryFolder whole;
    simulate_whole(whole.path());
    check_same_results(folder.path(), whole.path());
}

TEST_CASE("a fresh shard forgets its own runs only") {
    const TemporaryFolder folder;
    CHECK(simulate_shard(folder.path(), "1/2") == kOk);
    CHECK(simulate_shard(folder.path(), "2/2") == kOk);
    SweepOptions fresh = options(folder.path(), "2/2");
    fresh.fresh = true;
    CHECK(run_sweep(
              small_scenario(), fresh, [](const RunConfig&) -> RunResult { throw RunError("no"); }, never) ==
          kSimulationFailed);
    CHECK(runs_in(folder.path() / "runs") == 4);
}

TEST_CASE("locks: shards work side by side, but not twice, nor beside a program that wants the whole folder") {
    const TemporaryFolder folder;
    const auto message = [&](const std::optional<Shard>& shard) {
        try {
            const OutputFolder another(folder.path(), shard);
        } catch (const OutputError& e) { return std::string(e.what()).substr(folder.path().string().size()); }
        return std::string();
    };
    {
        const OutputFolder one(folder.path(), Shard{1, 2});
        CHECK(message(Shard{2, 2}).empty());
        CHECK(message(Shard{1, 3}).empty());
        CHECK(message(Shard{1, 2}) ==
              ": another rnicsim is simulating shard 1/2 there; wait for it, or choose another folder with --out");
        CHECK(message(std::nullopt) ==
              ": another rnicsim is writing there; wait for it, or choose another folder with --out");
    }
    const OutputFolder whole(folder.path());
    CHECK(message(Shard{1, 2}) ==
          ": another rnicsim is writing there; wait for it, or choose another folder with --out");
}

TEST_CASE("shards that start together set the old results aside together") {
    const TemporaryFolder folder;
    for (int round = 0; round < 200; ++round) {
        for (const char* const name : {"summary.csv", "manifest.json", "plot.svg"}) {
            std::ofstream(folder.path() / name) << "old";
        }
        std::vector<std::jthread> shards;
        std::atomic<int> failures = 0;
        std::latch start(4);
        for (int i = 0; i < 4; ++i) {
            shards.emplace_back([&] {
                start.arrive_and_wait();
                try {
                    set_products_aside(folder.path());
                } catch (const OutputError&) { ++failures; }
            });
        }
        shards.clear();
        REQUIRE(failures == 0);
        REQUIRE_FALSE(std::filesystem::exists(folder.path() / "summary.csv"));
        REQUIRE(std::filesystem::exists(folder.path() / "previous" / "summary.csv"));
    }
}

TEST_CASE("files in a folder before its lock do not make it foreign to shards") {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "shards");  // another shard has just started
    std::filesystem::create_directories(folder.path() / "slurm");   // scripts/slurm/submit made it for its logs
    write_atomically(folder.path() / "slurm" / "1.log", "");
    CHECK(simulate_shard(folder.path(), "1/2") == kOk);

    const TemporaryFolder foreign;
    std::filesystem::create_directories(foreign.path() / "shards");
    write_atomically(foreign.path() / "thesis.tex", "");
    try {
        simulate_shard(foreign.path(), "1/2");
        FAIL("accepted");
    } catch (const OutputError& e) {
        CHECK(std::string(e.what()) ==
              foreign.path().string() +
                  ": holds files, but no results of rnicsim; choose a new or an empty folder with --out");
    }
}
