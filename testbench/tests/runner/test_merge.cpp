// SPDX-License-Identifier: Apache-2.0
// Merging: however the runs were simulated, the results are those of a single run.
#include "testbench/tests/runner/shard_fixture.h"

#include <catch2/catch_test_macros.hpp>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

TEST_CASE("shards of one folder, merged in place, are a single run") {
    const TemporaryFolder whole;
    simulate_whole(whole.path());
    for (const std::size_t count : {1U, 2U, 3U, 11U}) {
        INFO(count << " shards");
        const TemporaryFolder folder;
        for (std::size_t i = count; i > 0; --i) CHECK(simulate_shard(folder.path(), Shard{i, count}.label()) == kOk);
        CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kOk);
        check_same_results(folder.path(), whole.path());
        CHECK(runs_in(folder.path() / "runs") == 8);
        const std::string manifest = content(folder.path() / "manifest.json");
        CHECK(manifest.find("\"count\": " + std::to_string(count)) != std::string::npos);
        CHECK(manifest.find("\"jobs\": " + std::to_string(count)) != std::string::npos);  // one each
    }
}

TEST_CASE("shards of different folders, merged into another, are a single run") {
    const TemporaryFolder whole;
    simulate_whole(whole.path());
    for (const std::size_t count : {1U, 2U, 3U}) {
        INFO(count << " shards");
        const TemporaryFolder folder;
        Folders folders;
        for (std::size_t i = 1; i <= count; ++i) {
            const Shard shard{i, count};
            folders.push_back(folder.path() / shard.file_name());
            CHECK(simulate_shard(folders.back(), shard.label()) == kOk);
        }
        CHECK(merge_shards(small_scenario(), options(folder.path() / "out"), folders) == kOk);
        check_same_results(folder.path() / "out", whole.path());
        // The merged folder counts as complete: a sweep in it simulates nothing.
        const auto fails = [](const RunConfig&) -> RunResult { throw RunError("simulated again"); };
        CHECK(run_sweep(small_scenario(), options(folder.path() / "out"), fails, never) == kOk);
        check_same_results(folder.path() / "out", whole.path());
        // One of the shards' folders may be the place of the results.
        CHECK(merge_shards(small_scenario(), options(folders.front()), folders) == kOk);
        check_same_results(folders.front(), whole.path());
    }
}

TEST_CASE("shares of different counts, and a whole run, may be merged too") {
    const TemporaryFolder whole;
    const TemporaryFolder folder;
    simulate_whole(whole.path());
    const Folders folders{folder.path() / "half", folder.path() / "thirds"};
    CHECK(simulate_shard(folders[0], "1/2") == kOk);
    for (const char* const shard : {"1/3", "2/3", "3/3"}) CHECK(simulate_shard(folders[1], shard) == kOk);
    CHECK(merge_shards(small_scenario(), options(folder.path() / "out"), folders) == kOk);
    check_same_results(folder.path() / "out", whole.path());
    CHECK(merge_shards(small_scenario(), options(folder.path() / "copy"), {whole.path()}) == kOk);
    check_same_results(folder.path() / "copy", whole.path());
}

TEST_CASE("while a run is missing or damaged, merging writes nothing") {
    const TemporaryFolder folder;
    const Folders folders{folder.path() / "1", folder.path() / "2"};
    CHECK(simulate_shard(folders[0], "1/2") == kOk);
    CHECK(simulate_shard(folders[1], "2/2") == kOk);
    const Scenario scenario = small_scenario();
    const Journal journal(scenario, folders[1]);
    const RunKey key = all_runs(scenario)[3];
    const std::string whole = content(journal.file(key));
    const std::filesystem::path out = folder.path() / "out";
    for (const std::size_t length : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
        write_atomically(journal.file(key), whole.substr(0, length));
        CHECK(merge_shards(scenario, options(out), folders) == kIncomplete);
    }
    std::filesystem::remove(journal.file(key));
    CHECK(merge_shards(scenario, options(out), folders) == kIncomplete);
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK(merge_shards(scenario, options(folders[0]), {}) == kIncomplete);
    CHECK_FALSE(std::filesystem::exists(folders[0] / "summary.csv"));

    // A whole file of the same run anywhere among the folders will do.
    write_atomically(journal.file(key), "damaged");
    Journal(scenario, folders[0])
        .write(key, fake_simulate(run_config(scenario, key.point, key.variant, key.repetition)));
    CHECK(merge_shards(scenario, options(out), folders) == kOk);
    const TemporaryFolder single;
    simulate_whole(single.path());
    check_same_results(out, single.path());
}

TEST_CASE("shards of another sweep are refused, and do no harm beside the right ones") {
    const TemporaryFolder folder;
    Scenario other = small_scenario();
    other.resolved = "system:\n  link:\n    loss: 3 %\n";
    const std::filesystem::path wrong = folder.path() / "wrong";
    CHECK(run_sweep(other, options(wrong, "1/2"), fake_simulate, never) == kOk);
    const auto message = [&] {
        try {
            merge_shards(small_scenario(), options(folder.path() / "out"), {wrong});
        } catch (const ScenarioError& e) { return std::string(e.what()); }
        return std::string("accepted");
    };
    CHECK(message() == wrong.string() +
                           ": shard 1/2 is not of this sweep: found 'system.link.loss: 3 %', expected "
                           "'system.link.loss: swept'");
    ShardRecord record = read_records(wrong).at(0);
    std::filesystem::remove(record_file(wrong, record));
    record.source_hash = "0123456789abcdef";
    write_record(wrong, record);
    CHECK(message().starts_with(wrong.string() + ": shard 1/2 is not of this sweep: found a program of sources "
                                                 "0123456789abcdef, expected "));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));

    CHECK(simulate_shard(wrong, "1/1") == kOk);
    CHECK(message() == "accepted");
}

TEST_CASE("the first difference of two sweeps is named") {
    Scenario scenario = small_scenario();
    scenario.resolved = "system:\n  link:\n    loss: 0 %\nsimulation:\n  seed: 1\nrun:\n  size: 1 B\n";
    const auto found = [&](const std::string& resolved) {
        ShardRecord record = make_record(scenario, {}, 1);
        record.resolved = resolved;
        record.identity = "another";
        return difference(record, scenario);
    };
    CHECK(difference(make_record(scenario, {}, 1), scenario).empty());
    CHECK(found("system:\n  link:\n    loss: 0 %\nsimulation:\n  seed: 7\nrun:\n  size: 1 B\n") ==
          "'simulation.seed: 7', expected 'simulation.seed: 1'");
    CHECK(found(scenario.resolved + "  sweep:\n    - {name: \"x\"}\n") ==
          "'run.sweep: - {name: \"x\"}', expected nothing");
    CHECK(found("system:\n  link:\n    loss: 0 %\nsimulation:\n  seed: 1\n") == "nothing, expected 'run.size: 1 B'");
    CHECK(found(scenario.resolved) == "other points");
}

TEST_CASE("a folder without runs, and a damaged record") {
    const TemporaryFolder folder;
    try {
        merge_shards(small_scenario(), options(folder.path() / "out"), {folder.path()});
        FAIL("accepted");
    } catch (const ScenarioError& e) {
        CHECK(std::string(e.what()) ==
              folder.path().string() + ": holds no runs, expected a folder that `rnicsim run --shard` has left");
    }
    CHECK(simulate_shard(folder.path(), "1/1") == kOk);
    const std::string good = content(record_file(folder.path(), read_records(folder.path()).at(0)));
    const std::size_t jobs = good.find("\"jobs\": ") + 8;
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string("[1"), std::string("{\"shard\": \"9/1\"}"),
          good.substr(0, jobs) + '-' + good.substr(jobs), good.substr(0, jobs) + "0." + good.substr(jobs)}) {
        write_atomically(record_file(folder.path(), read_records(folder.path()).at(0)).string() + ".json", text);
        CHECK(read_records(folder.path()).size() == 1);
    }
    CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kOk);
}
