// SPDX-License-Identifier: Apache-2.0
// SMC-R between two hosts: bytes, costs, room, faults, what it does under loss and if the other end declines.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/applications/smc/cost.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr const char* kSmcEvents = "  host: {cpu: {profile: xeon_2018}, verbs: {notify: events}}\n";
constexpr const char* kTcpWakes = "  host.cpu.profile: xeon_2018\n";  // which wakes a program in any case

RunConfig smc_item(const std::string& keys, const std::string& system = {}, const std::string& item = "size: 50000 B") {
    return pair_config("application: smc, transfers: 5, " + item + (keys.empty() ? "" : ", smc: {" + keys + "}"),
                       system);
}
/// The time of the last request and its answer.
Time smc_time(const std::string& keys, const std::string& system = {}, const std::string& item = "size: 50000 B") {
    const std::optional<Time> took = in_child([&] { return simulate(smc_item(keys, system, item)).samples[4].took(); });
    REQUIRE(took);
    return *took;
}

}  // namespace

TEST_CASE("SMC-R: each answer is complete, and its parts are its time", "[applications]") {
    using Given = std::pair<std::string, std::string>;
    const auto [keys, system] =
        GENERATE(Given{"rmb: 16 KiB", ""}, Given{"rmb: 16 KiB", kSmcEvents}, Given{"read: 1500 B", ""},
                 Given{"read: 1500 B", kSmcEvents}, Given{"refused: true", ""}, Given{"refused: true", kTcpWakes});
    const std::string sizes = GENERATE("sizes: [1 B, 1500 B]", "sizes: [1 B, 16380 B, 16381 B, 50000 B, 300000 B]");
    CHECK(in_child([&] {
              const RunResult result = simulate(smc_item(keys, system, sizes + ", connections: 3"));
              return result.samples.size() == 15 && std::ranges::all_of(result.samples, [](const Sample& of) {
                         return !of.failed() &&
                                std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
                     });
          }) == true);
}
TEST_CASE("SMC-R: the connection is set up once, ahead of the first request", "[applications]") {
    const bool refused = GENERATE(false, true);
    CHECK(in_child([&] {
              const RunResult result =
                  simulate(refused ? smc_item("refused: true", kTcpWakes) : smc_item("", kSmcEvents));
              const auto is_there = [](const Sample& of) { return of.parts[0] == 0; };
              return !is_there(result.samples[0]) && std::ranges::count_if(result.samples, is_there) == 4;
          }) == true);
}
TEST_CASE("SMC-R under loss: each answer comes", "[applications]") {
    using Given = std::pair<std::string, std::string>;
    const auto [keys, system] = GENERATE(Given{"rmb: 16 KiB", ""}, Given{"rmb: 16 KiB", kSmcEvents},
                                         Given{"read: 1 KiB", kSmcEvents}, Given{"refused: true", kTcpWakes});
    CHECK(in_child([&] {
              const RunResult result = simulate(
                  smc_item(keys, system + "  link.loss: 1 %\n", "sizes: [1000 B, 40000 B, 100000 B], connections: 2"));
              return result.samples.size() == 10 && std::ranges::none_of(result.samples, &Sample::failed);
          }) == true);
}
TEST_CASE("SMC-R: what a message costs, by hand", "[applications]") {
    applications::SmcSettings of;
    of.rmb = 16 << 10;
    const auto cost = [&](std::uint64_t from, std::uint64_t bytes) {
        return applications::smc::cost_of(of, from, bytes, 1024);
    };
    const auto is = [](const applications::smc::Cost& found, std::array<std::uint64_t, 5> wanted) {
        return std::array{found.pieces, found.writes, found.packets, found.reads, found.updates} == wanted;
    };
    CHECK(is(cost(0, 8192), {1, 1, 8, 1, 0}));        // half of the ring
    CHECK(is(cost(0, 8193), {1, 1, 9, 1, 1}));        // more
    CHECK(is(cost(16'000, 1000), {1, 2, 2, 1, 0}));   // wraps: 384 and 616 B
    CHECK(is(cost(0, 40'000), {3, 3, 40, 3, 2}));     // 16,384 twice, 7,232
    CHECK(is(cost(7232, 40'000), {3, 5, 42, 3, 2}));  // 9,152 + 7,232 twice, 7,232
    of.read = 2048;                                   // more than 1,638
    CHECK(is(cost(0, 16'384), {1, 1, 16, 8, 8}));     // a tenth is enough for who waits
    of.read = 4096;                                   // 1,638 and the writer waits: it is told of each
    CHECK(is(cost(0, 16'384), {1, 1, 16, 4, 4}));     // a ring that is full
    CHECK(is(cost(0, 16'385), {2, 2, 17, 5, 4}));     // ... and a byte
    CHECK(is(cost(0, 16'383), {1, 1, 16, 4, 1}));     // told once more than half is read
}
TEST_CASE("SMC-R: what is posted is what has to be", "[applications]") {
    const auto counted = [](const char* keys, const char* what) {
        return in_child([&] { return counter(simulate(smc_item(keys, {}, "size: 996 B")), what); });
    };
    // CONFIRM LINK; a WRITE and a CDC message for each request, none of which wraps.
    CHECK(counted("", "client.host.sends_posted") == 11U);
    CHECK(counted("", "server.host.sends_posted") == 11U);
    CHECK(counted("", "client.tcp.sent_bytes") == 52U + 68U);
    CHECK(counted("refused: true", "client.host.sends_posted") == 0U);
    CHECK(counted("refused: true", "client.tcp.sent_bytes") == 52U + 5 * 1000U);
    CHECK(counted("refused: true", "server.tcp.sent_bytes") == 28U + 5 * 1000U);
}
TEST_CASE("SMC-R: a round trip has four calls, and as many copies", "[applications]") {
    const auto with = [](const char* key, const char* value) {
        return smc_time("", std::string("  host.cpu.") + key + ": " + value + "\n", "size: 60 B").ps;
    };
    CHECK(with("syscall", "4000 ns") - with("syscall", "3200 ns") == 4 * 800'000);
    CHECK(with("copy.base", "4000 ns") - with("copy.base", "3200 ns") == 4 * 800'000);
}
TEST_CASE("SMC-R: a message that has no room waits for who reads", "[applications]") {
    const Time has_room = smc_time("rmb: 256 KiB", kSmcEvents), waits = smc_time("rmb: 16 KiB", kSmcEvents);
    // Three times each way: a CDC message, an interrupt, a CDC message back.
    CHECK(waits - has_room > kMicrosecond * 20);
    CHECK(smc_time("rmb: 512 KiB", kSmcEvents).ps == has_room.ps);
}
TEST_CASE("SMC-R: who does not wait writes over what is not read, and the run says so", "[applications]") {
    // The server is slow to copy, the client is not.
    const std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  hosts: {client: {}, server: {host.cpu.copy.base: 90 us}}
  links: [{between: [client, server]}]
run:
  repetitions: 1
  traffic:
    - {from: client, to: server, application: smc, connections: 2, transfers: 3, size: 100000 B, smc: {WAIT}}
)";
    const auto with = [](std::string of, const std::string& wait) {
        return run_config(ScenarioFile(of.replace(of.find("WAIT"), 4, wait)).load(), 0, 0, 0);
    };
    CHECK(in_child([&] { return std::ranges::none_of(simulate(with(text, "wait: true")).samples, &Sample::failed); }) ==
          true);
    CHECK_THROWS_MATCHES(simulate(with(text, "wait: false, unsafe: true")), RunError,
                         MessageMatches(ContainsSubstring("server finds other bytes than those of operation")));
}
TEST_CASE("SMC-R: who is not told of room waits for ever, and is named", "[applications]") {
    // Data of the other end tell as well.
    CHECK(in_child([&] {
              return std::ranges::none_of(
                  simulate(smc_item("update: false, unsafe: true", {}, "size: 60000 B")).samples, &Sample::failed);
          }) == true);
    CHECK_THROWS_MATCHES(
        simulate(smc_item("update: false, unsafe: true", {}, "size: 100000 B")), RunError,
        MessageMatches(ContainsSubstring("both ends wait, and operation 0 is not over (lost wake-up)")));
}
TEST_CASE("SMC-R: a connection that dies ends all that is wanted over it", "[applications]") {
    const auto [keys, system] =
        GENERATE(std::pair<std::string, std::string>{"", "  rnic.rc.retry_cnt: 0\n  link.loss: 5 %\n"},
                 std::pair<std::string, std::string>{"refused: true", "  link.loss: 80 %\n"});
    CHECK(in_child([&] { return simulate(smc_item(keys, system, "size: 1 MiB")).samples[4].failed(); }) == true);
}
TEST_CASE("SMC-R: keys that cannot be, or do nothing, are refused", "[applications]") {
    const auto refused = [](const std::string& keys, const std::string& item = "size: 100 KiB") {
        return rejection(pair_text("application: smc, " + item + ", smc: {" + keys + "}"));
    };
    CHECK(refused("rmb: 16 KiB, read: 4 KiB") == "");
    CHECK_THAT(refused("rmb: 48 KiB"), ContainsSubstring("expected 16, 32, 64, 128, 256 or 512 KiB"));
    CHECK_THAT(refused("wait: false"), ContainsSubstring("run.smc.unsafe: true runs it"));
    CHECK_THAT(refused("update: false"), ContainsSubstring("run.smc.unsafe: true runs it"));
    CHECK_THAT(refused("unsafe: true"), ContainsSubstring("nothing is unsafe"));
    for (const char* const key : {"rmb: 16 KiB", "wait: false, unsafe: true", "unsafe: true, update: false"})
        CHECK_THAT(refused(std::string("refused: true, ") + key), ContainsSubstring("has no effect"));
    CHECK(refused("refused: true, read: 4 KiB") == "");
    CHECK_THAT(refused("wait: false, unsafe: true", "size: 65532 B"), ContainsSubstring("has no effect"));
    CHECK(refused("wait: false, unsafe: true", "size: 65533 B") == "");
    CHECK_THAT(refused("update: false, unsafe: true", "size: 32764 B"), ContainsSubstring("has no effect"));
    CHECK(refused("update: false, unsafe: true", "size: 32765 B") == "");
    CHECK_THAT(rejection(pair_text("application: smc, depth: 2")),
               ContainsSubstring("one operation of a connection under way"));
}
