// SPDX-License-Identifier: Apache-2.0
// brpc between two hosts: its window, its marks, its copies, what it does under loss. Each run compares its counts with
// the formula by itself.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/scenario/applications.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

using namespace rnicsim;
using applications::Count;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr const char* kEvents = "  host.verbs.notify: events\n";

RunConfig rpc(const std::string& item, const std::string& keys = {}, const std::string& system = {}) {
    return pair_config("application: rpc, transfers: 12, " + item + (keys.empty() ? "" : ", rpc: {" + keys + "}"),
                       system);
}
bool is_complete(const RunResult& result, std::size_t operations) {
    return result.samples.size() == operations && std::ranges::all_of(result.samples, [](const Sample& of) {
               return !of.failed() &&
                      std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
           });
}
/// Bytes of a request of so many messages of 8160 B, its header of 12 B included.
std::string messages(int number) { return "size: " + std::to_string(8160 * number - 12) + " B"; }

}  // namespace

TEST_CASE("requests and answers of all sizes are complete, and their parts are their time", "[applications]") {
    for (const std::string& system : {std::string(), std::string(kEvents)}) {
        for (const char* const item :
             {"size: 1 B, depth: 1", "size: 8148 B, depth: 1", "size: 8149 B, depth: 1", "size: 1 MiB, depth: 1",
              "sizes: [100 B, 20000 B, 600000 B], depth: 1", "size: 64 B, depth: 40", "size: 300000 B, depth: 8"}) {
            CAPTURE(item, system);
            CHECK(in_child([&] { return is_complete(simulate(rpc(item, "answer: 40000 B", system)), 12); }) == true);
        }
    }
}
TEST_CASE("connections of a host do not change each other's counts", "[applications]") {
    CHECK(in_child([] {
              return is_complete(
                  simulate(rpc("size: 200000 B, depth: 1, connections: 5", "answer: 9000 B",
                               "  host: {cpu: {profile: xeon_2018, cores: 2}, verbs: {threads: 2, notify: events}}\n")),
                  60);
          }) == true);
}
TEST_CASE("under loss each request is answered", "[applications]") {
    for (const char* const keys : {"answer: 64 B", "answer: 300000 B"}) {
        for (const char* const item : {"size: 200000 B, depth: 1, connections: 3", "size: 200000 B, depth: 4"}) {
            CAPTURE(keys, item);
            CHECK(in_child([&] {
                      const RunResult result = simulate(rpc(item, keys, std::string("  link.loss: 1 %\n") + kEvents));
                      return std::ranges::none_of(result.samples, &Sample::failed);
                  }) == true);
        }
    }
}
TEST_CASE("of 129 messages five wake, two ACKs give receive WQEs back, and four ask for a completion",
          "[applications]") {
    // 33, 66 and 99 behind 32 that wake nobody, 125 at the end of the window, and the last one.
    const RunConfig config = rpc(messages(129) + ", depth: 1");
    const std::array<std::uint32_t, 1> sizes{8160 * 129 - 12};
    const applications::Counts of = protocol_of(config.traffic.at(0))->expected(config.traffic.at(0), sizes, 4096);
    CHECK(of[0][Count::sends] == 129);
    CHECK(of[0][Count::solicited] == 5);
    CHECK(of[0][Count::unsignaled] == 125);
    CHECK(of[0][Count::payload_packets] == 2 * 129);
    CHECK(of[0][Count::receives] == 3);
    CHECK(of[1][Count::sends] == 3);
    CHECK(of[1][Count::solicited] == 3);
    CHECK(of[1][Count::unsignaled] == 1);
    CHECK(of[0][Count::copied_bytes] == 76);  // the answer, with its header
    CHECK(of[1][Count::copied_bytes] == 0);
    CHECK(in_child([&] { return is_complete(simulate(config), 12); }) == true);
}
TEST_CASE("large blocks wake after 1 MiB", "[applications]") {
    const RunConfig config = rpc("size: 4 MiB, depth: 1", "block: 64 KiB");
    const std::array<std::uint32_t, 1> sizes{4 << 20};
    // 65 messages of 65,504 B: each 18th, and the last one.
    const applications::Counts of = protocol_of(config.traffic.at(0))->expected(config.traffic.at(0), sizes, 4096);
    CHECK(of[0][Count::sends] == 65);
    CHECK(of[0][Count::solicited] == 4);
    CHECK(in_child([&] { return is_complete(simulate(config), 12); }) == true);
}
TEST_CASE("a host that waits for events has one for each message that wakes it, at most", "[applications]") {
    const auto events = [](const std::string& solicit) {
        return in_child([&] {
                   const RunResult result = simulate(rpc(messages(120) + ", depth: 1", "solicit: " + solicit, kEvents));
                   return counter(result, "server.host.interrupts") - counter(result, "server.ethernet.interrupts");
               })
            .value();
    };
    CHECK(events("some") == 12 * 4);
    CHECK(events("all") > 12 * 8);
}
TEST_CASE("only short messages are copied", "[applications]") {
    const auto worked = [](const std::string& size) {
        return in_child([&] {
                   const RunResult result =
                       simulate(rpc("depth: 1, size: " + size, "answer: 5000 B", "  host.cpu.copy.base: 100 ns\n"));
                   return counter(result, "server.host.worked_copy_ps");
               })
            .value();
    };
    const std::uint64_t hello = worked("500 B");  // by TCP
    CHECK(worked("499 B") - hello == 12 * 100'000);
    CHECK(worked("8400 B") - hello == 12 * 100'000);
}
TEST_CASE("without a window messages find no receive WQE, and the connection dies", "[applications]") {
    const std::string keys = "queue: 16, block: 1 KiB, ", slow = "  host.verbs.poll: 400 ns\n";
    CHECK(in_child([&] {
              return std::ranges::any_of(simulate(rpc("size: 200000 B, depth: 1", keys + "window: false, unsafe: true",
                                                      slow + "  rnic.rc.rnr_retry: 0\n"))
                                             .samples,
                                         &Sample::failed);
          }) == true);
    CHECK(in_child([&] { return is_complete(simulate(rpc("size: 200000 B, depth: 1", keys, slow)), 12); }) == true);
}
TEST_CASE("where no message wakes both ends wait for ever, and the run says so", "[applications]") {
    CHECK_THROWS_MATCHES(simulate(rpc("size: 200000 B, depth: 1", "solicit: none, unsafe: true", kEvents)), RunError,
                         MessageMatches(ContainsSubstring("both ends wait")));
}
TEST_CASE("brpc's keys are read strictly", "[applications]") {
    const auto refused = [](const std::string& item, const std::string& keys, const std::string& system = {}) {
        return rejection(pair_text("application: rpc, " + item + ", rpc: {" + keys + "}", system));
    };
    CHECK_THAT(refused("size: 1 MiB", "window: false"), ContainsSubstring("run.rpc.unsafe: true runs it"));
    CHECK_THAT(refused("size: 1 MiB", "solicit: none", kEvents), ContainsSubstring("run.rpc.unsafe: true runs it"));
    CHECK_THAT(refused("size: 1 MiB", "unsafe: true"), ContainsSubstring("nothing is unsafe"));
    CHECK_THAT(refused("size: 1 MiB", "solicit: all"), ContainsSubstring("completions are polled"));
    CHECK_THAT(refused("size: 1 KiB", "solicit: all", kEvents), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("size: 1 KiB", "block: 16 KiB"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("size: 1 KiB", "queue: 5"), ContainsSubstring("rpc.queue: found '5', expected 6 to 4096"));
}
