// SPDX-License-Identifier: Apache-2.0
// Finished runs on disk: reused only if complete and of exactly this run.
#include "testbench/records/record_files.h"
#include "testbench/results/journal.h"
#include "testbench/results/output_folder.h"
#include "testbench/results/result_codec.h"
#include "testbench/tests/runner/fixture.h"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

TEST_CASE("a result survives the codec") {
    const TemporaryFolder folder;
    const std::filesystem::path base = folder.path() / "run";
    RunResult result = fake_simulate(small_scenario().points[0].configs.front());
    result.samples[0].operation = static_cast<std::uint8_t>(Operation::read);
    result.samples[0].initiator = 1;
    result.counters.emplace_back("large", std::numeric_limits<std::uint64_t>::max());
    const std::string text = encode_result(result, base);
    CHECK(same(decode_result(text, base), result));
    CHECK(text.find('\n') == std::string::npos);
    CHECK_THROWS_AS(decode_result("", base), CodecError);
    CHECK_THROWS_AS(decode_result("{}", base), CodecError);
    CHECK_THROWS_AS(decode_result("[1, 2", base), CodecError);
}

TEST_CASE("what fuzzing of results starts from is a result: two of the files, and two runs of the journal") {
    const std::filesystem::path corpus = RNICSIM_SOURCE_DIR "/testbench/tests/corpus/fuzz/result";
    for (const char* const name : {"result", "result_empty", "run", "run_empty"}) {
        INFO(name);
        const std::string text = content(corpus / name);
        CHECK_NOTHROW(decode_result(text.substr(0, text.find('\n')), "/nowhere/run"));
    }
}

TEST_CASE("a result with anything that was never written is refused") {
    const TemporaryFolder folder;
    const std::filesystem::path base = folder.path() / "run";
    RunResult result = fake_simulate(small_scenario().points[0].configs.front());
    const std::string good = encode_result(result, base);
    REQUIRE(decode_result(good, base).samples.size() == 3);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"samples\":[3", "\"samples\":[2"},       // another length
             {"\"samples\":[3", "\"samples\":[-1"},      // no number wraps round
             {"\"samples\":[3", "\"samples\":[3.5"},     // or is rounded
             {"\"samples\":[3", "\"samples\":[true"},    //
             {"\"samples\":[3", "\"samples\":[0"},       // there are some, and their hash is another
             {"\"samples\":[", "\"samples\":[7,"},       //
             {"[\"z.first\",1]", "[\"z.first\",1,8]"},   // a counter has two values
             {"[\"z.first\",1]", "[\"z.first\",-7]"},    //
             {"\"counters\":[", "\"counters\":[null,"},  //
             {"\"data_frames\":300", "\"data_frames\":1.5"},
             {"\"simulated_ps\":40000000000", "\"simulated_ps\":-9"},
             {"\"simulated_ps\":40000000000", "\"simulated_ps\":9,\"x\":1"},
             {"0.25", "null"}}) {
        INFO(from << " -> " << to);
        CHECK_THROWS_AS(decode_result(changed(from, to), base), CodecError);
    }
}

TEST_CASE("a file of records that is cut, longer, changed or gone counts as no run") {
    const TemporaryFolder folder;
    const Scenario scenario = small_scenario();
    const Journal journal(scenario, folder.path());
    const RunKey key{0, 0, 0};
    journal.write(key, fake_simulate(scenario.points[0].configs.front()));
    const std::filesystem::path file = samples_file(journal.file(key).replace_extension());
    const std::string whole = content(file);
    REQUIRE(whole.size() == 3 * sizeof(Sample));
    std::string flipped = whole;
    flipped[whole.size() / 2] ^= 1;
    for (const std::string& wrong :
         {whole.substr(1), whole.substr(sizeof(Sample)), whole + whole, flipped, std::string()}) {
        write_atomically(file, wrong);
        CHECK_FALSE(journal.read(key));
    }
    std::filesystem::remove(file);
    CHECK_FALSE(journal.read(key));
    write_atomically(file, whole);
    CHECK(journal.read(key));
    journal.remove(key);
    CHECK(std::filesystem::is_empty(journal.folder()));
}

TEST_CASE("records lie in their file as they come, and stay whatever is touched") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "run.samples";
    Records<Sample> records(200'000, file);
    for (std::uint32_t id = 0; id < records.size(); ++id) {
        records[id].id = id;
        if (id % 1000 == 0) records.rest();
    }
    std::uint32_t expected = 0;
    Records<Sample>::of(file).each([&](const Sample& record) { CHECK(record.id == expected++); });
    CHECK(expected == records.size());
    Records<Sample> more = records;  // in memory
    more.push_back(Sample{});
    CHECK(more.size() == records.size() + 1);
    CHECK(more[1000].id == 1000);
    CHECK(std::filesystem::file_size(file) == records.size() * sizeof(Sample));
}

TEST_CASE("a written run is read again") {
    const TemporaryFolder folder;
    const Scenario scenario = small_scenario();
    const Journal journal(scenario, folder.path());
    const RunKey key{1, 1, 1};
    CHECK_FALSE(journal.read(key));
    const RunResult result = fake_simulate(run_config(scenario, key.point, key.variant, key.repetition));
    journal.write(key, result);
    REQUIRE(journal.read(key));
    CHECK(same(*journal.read(key), result));
    CHECK(journal.file(key).filename().string().starts_with("p001_dynamic_r1_"));
    journal.clear();
    CHECK_FALSE(journal.read(key));
}

TEST_CASE("a file cut anywhere counts as no run") {
    const TemporaryFolder folder;
    const Scenario scenario = small_scenario();
    const Journal journal(scenario, folder.path());
    const RunKey key{0, 0, 0};
    journal.write(key, fake_simulate(scenario.points[0].configs.front()));
    const std::string whole = content(journal.file(key));
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.find('\n'),
                                     whole.find('\n') + 1, whole.size() - 2, whole.size() - 1}) {
        INFO("length " << length << " of " << whole.size());
        write_atomically(journal.file(key), whole.substr(0, length));
        CHECK_FALSE(journal.read(key));
    }
    std::string flipped = whole;
    flipped[flipped.find("300")] = '9';  // still JSON
    write_atomically(journal.file(key), flipped);
    CHECK_FALSE(journal.read(key));
    write_atomically(journal.file(key), whole + "more\n");
    CHECK_FALSE(journal.read(key));
    write_atomically(journal.file(key), whole);
    CHECK(journal.read(key));
}

TEST_CASE("whatever changes the result changes the identity") {
    const Scenario scenario = small_scenario();
    std::set<std::string> identities;
    for (const RunKey& key : all_runs(scenario)) identities.insert(run_identity(scenario, key));
    CHECK(identities.size() == 8);

    const RunKey key{0, 1, 0};
    Scenario other = scenario;
    other.resolved += "x: 1\n";
    identities.insert(run_identity(other, key));
    other = scenario;
    other.points[0].configs.front().seed = 2;
    identities.insert(run_identity(other, key));
    other = scenario;
    other.points[0].values[0].second = "1 %";
    identities.insert(run_identity(other, key));
    CHECK(identities.size() == 11);
    CHECK(run_identity(small_scenario(), key) == run_identity(scenario, key));
}

TEST_CASE("a run of another scenario in the same folder is not used") {
    const TemporaryFolder folder;
    const Scenario scenario = small_scenario();
    const RunKey key{0, 1, 0};
    Journal(scenario, folder.path()).write(key, fake_simulate(scenario.points[0].configs.front()));
    Scenario other = scenario;
    other.resolved += "x: 1\n";
    CHECK_FALSE(Journal(other, folder.path()).read(key));
    CHECK(Journal(scenario, folder.path()).read(key));
}
