// Finished runs on disk: used again only if whole and of exactly this run.
#include "testbench/runner/journal.h"
#include "testbench/runner/output_folder.h"
#include "testbench/runner/result_codec.h"
#include "testbench/tests/runner/fixture.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace rnicsim;
using namespace rnicsim::runner;
using namespace rnicsim::runner::test;

TEST_CASE("a result survives the codec") {
    RunResult result = fake_simulate(small_scenario().points[0].config);
    result.transfers[0].operation = Operation::read;
    result.transfers[0].initiator = 1;
    result.counters.emplace_back("large", std::numeric_limits<std::uint64_t>::max());
    CHECK(same(decode_result(encode_result(result)), result));
    CHECK(encode_result(result).find('\n') == std::string::npos);
    CHECK_THROWS_AS(decode_result(""), CodecError);
    CHECK_THROWS_AS(decode_result("{}"), CodecError);
    CHECK_THROWS_AS(decode_result("[1, 2"), CodecError);
}

TEST_CASE("a written run is read again") {
    const TemporaryFolder folder;
    const Scenario scenario = small_scenario();
    const Journal journal(scenario, folder.path());
    const RunKey key{1, Method::dynamic, 1};
    CHECK_FALSE(journal.read(key));
    const RunResult result = fake_simulate(run_config(scenario, key.point, key.method, key.repetition));
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
    const RunKey key{0, Method::traditional, 0};
    journal.write(key, fake_simulate(scenario.points[0].config));
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

    const RunKey key{0, Method::dynamic, 0};
    Scenario other = scenario;
    other.resolved += "x: 1\n";
    identities.insert(run_identity(other, key));
    other = scenario;
    other.points[0].config.seed = 2;
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
    const RunKey key{0, Method::dynamic, 0};
    Journal(scenario, folder.path()).write(key, fake_simulate(scenario.points[0].config));
    Scenario other = scenario;
    other.resolved += "x: 1\n";
    CHECK_FALSE(Journal(other, folder.path()).read(key));
    CHECK(Journal(scenario, folder.path()).read(key));
}
