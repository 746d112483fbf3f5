// Finished runs on disk: reused only if complete and of exactly this run.
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
    RunResult result = fake_simulate(small_scenario().points[0].configs.front());
    result.transfers[0].operation = Operation::read;
    result.transfers[0].initiator = 1;
    result.counters.emplace_back("large", std::numeric_limits<std::uint64_t>::max());
    CHECK(same(decode_result(encode_result(result)), result));
    CHECK(encode_result(result).find('\n') == std::string::npos);
    CHECK_THROWS_AS(decode_result(""), CodecError);
    CHECK_THROWS_AS(decode_result("{}"), CodecError);
    CHECK_THROWS_AS(decode_result("[1, 2"), CodecError);
}

TEST_CASE("a result with anything that was never written is refused") {
    const std::string good =
        R"({"transfers":[[0,1,0,5,9,1,"",[4,0,0,0,0,0,0],0,0,4096]],"counters":[["c",7]],"data_frames":1,"kernel_events":2,)"
        R"("simulated":9,"wall_seconds":0.5,"frames":[[7,1,0,0,64,800,900,1700,1,-1,0]]})";
    REQUIRE(decode_result(good).transfers.size() == 1);
    REQUIRE(decode_result(good).transfers[0].end == Cycle{9});
    REQUIRE(decode_result(good).frames.size() == 1);
    REQUIRE(decode_result(good).frames[0].arrived == Time{1'700});
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[[0,1,", "[[-1,1,"},                              // no number wraps round
             {"[[0,1,", "[[4294967296,1,"},                      // or is cut
             {"[[0,1,", "[[0.5,1,"},                             // or rounded
             {"[[0,1,", "[[true,1,"},                            //
             {"[[0,1,", "[[0,65536,"},                           // hosts have 16 bits
             {"0,0,4096]", "0,0,-1]"},                           //
             {"0,0,4096]", "0,4096]"},                           // its item is missing
             {"1,0,5,9,", "1,2,5,9,"},                           // two operations
             {"5,9,1,", "5,9,2,"},                               // two modes
             {"5,9,1,", "9,5,1,"},                               // it ends before it starts
             {"800,900,", "900,800,"},                           // a frame begins before it is ready
             {"1700,1,-1", "1700,2,-1"},                         // two marks
             {"1700,1,-1,0]", "1700,1]"},                        //
             {"1,-1,0]", "1,-2,0]"},                             // no QP
             {"1,-1,0]", "1,3,8]"},                              // no verb
             {"[[7,1,0,", "[[7,65536,0,"},                       //
             {"5,9,1,", "5,1e30,1,"},                            //
             {"[4,0,0,0,0,0,0]", "[4,0,0,0,0,0]"},               // a part is missing
             {"[4,0,0,0,0,0,0]", "[4,0,0,0,0,0,0,0]"},           //
             {"[\"c\",7]", "[\"c\",7,8]"},                       // a counter has two values
             {"[\"c\",7]", "[\"c\",-7]"},                        //
             {"\"counters\":[[\"c\",7]]", "\"counters\":null"},  // which would be none
             {"\"data_frames\":1", "\"data_frames\":1.5"},       //
             {"\"simulated\":9", "\"simulated\":-9"},            //
             {"\"simulated\":9", "\"simulated\":9,\"x\":1"},     //
             {"0.5", "null"}}) {
        INFO(from << " -> " << to);
        CHECK_THROWS_AS(decode_result(changed(from, to)), CodecError);
    }
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
