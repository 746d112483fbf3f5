// Shards of a sweep and their merge: whatever way the runs were simulated, the results are those of a single run.
#include "testbench/runner/journal.h"
#include "testbench/runner/merge.h"
#include "testbench/runner/output_folder.h"
#include "testbench/runner/shard.h"
#include "testbench/runner/shard_record.h"
#include "testbench/runner/sweep.h"
#include "testbench/tests/runner/fixture.h"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <set>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

namespace {

using Folders = std::vector<std::filesystem::path>;

bool never() { return false; }

SweepOptions options(const std::filesystem::path& out, const std::string& shard = {}) {
    SweepOptions options;
    options.out = out;
    options.transfers_csv = true;
    options.quiet = true;
    options.plot = false;
    if (!shard.empty()) options.shard = parse_shard(shard);
    return options;
}

ExitCode simulate_shard(const std::filesystem::path& out, const std::string& shard) {
    return run_sweep(small_scenario(), options(out, shard), fake_simulate, never);
}

std::size_t files_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// The files of a single run in `out`, to compare with.
void simulate_whole(const std::filesystem::path& out) {
    REQUIRE(run_sweep(small_scenario(), options(out), fake_simulate, never) == kOk);
}

void check_same_results(const std::filesystem::path& one, const std::filesystem::path& other) {
    for (const char* const name : {"summary.csv", "transfers.csv"}) {
        INFO(name);
        CHECK(content(one / name) == content(other / name));
        CHECK(content(one / name).size() > 100);
    }
}

}  // namespace

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

TEST_CASE("shards of one folder, merged in place, are a single run") {
    const TemporaryFolder whole;
    simulate_whole(whole.path());
    for (const std::size_t count : {1U, 2U, 3U, 11U}) {
        INFO(count << " shards");
        const TemporaryFolder folder;
        for (std::size_t i = count; i > 0; --i) CHECK(simulate_shard(folder.path(), Shard{i, count}.label()) == kOk);
        CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kOk);
        check_same_results(folder.path(), whole.path());
        CHECK(files_in(folder.path() / "runs") == 8);
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
        // The merged folder is as good as one that simulated everything: nothing is left to do in it.
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
        .write(key, fake_simulate(run_config(scenario, key.point, key.method, key.repetition)));
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
    for (const char* const text : {"", "{}", "[1", "{\"shard\": \"9/1\"}"}) {
        write_atomically(record_file(folder.path(), read_records(folder.path()).at(0)).string() + ".json", text);
        CHECK(read_records(folder.path()).size() == 1);
    }
    CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kOk);
}

TEST_CASE("a shard none of whose runs succeeded is no foreign folder, only incomplete") {
    const TemporaryFolder folder;
    const auto fails = [](const RunConfig&) -> RunResult { throw RunError("no"); };
    CHECK(run_sweep(small_scenario(), options(folder.path(), "1/1"), fails, never) == kSimulationFailed);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
    CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kIncomplete);
    CHECK(simulate_shard(folder.path(), "1/1") == kOk);
    CHECK(merge_shards(small_scenario(), options(folder.path()), {}) == kOk);
}

TEST_CASE("a shard that lost workers continues with what is missing") {
    const TemporaryFolder folder;
    const auto dies = [](const RunConfig& config) -> RunResult {
        if (config.link.loss > 0) raise(SIGKILL);
        return fake_simulate(config);
    };
    const Scenario scenario = small_scenario();
    CHECK(run_sweep(scenario, options(folder.path(), "1/2"), dies, never) == kIncomplete);
    CHECK(files_in(folder.path() / "runs") == 2);
    CHECK(simulate_shard(folder.path(), "2/2") == kOk);
    CHECK(merge_shards(scenario, options(folder.path()), {}) == kIncomplete);
    const double before = read_records(folder.path()).at(0).wall_seconds;

    const auto only_lossy = [](const RunConfig& config) -> RunResult {
        if (config.link.loss == 0) throw RunError("simulated again");
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
    CHECK(files_in(folder.path() / "runs") == 4);
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
