// SPDX-License-Identifier: Apache-2.0
// NCCL's transport between two hosts: its messages, what it waits for, its faults, what it does under loss. Each run
// compares its counts with the formula by itself.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

RunConfig fifo(const std::string& item, const std::string& keys = {}, const std::string& system = {}) {
    return pair_config("application: fifo, " + item + (keys.empty() ? "" : ", fifo: {" + keys + "}"), system);
}

}  // namespace

TEST_CASE("messages of all sizes come, and their parts are their time", "[applications]") {
    for (const char* const item : {"size: 1 B, depth: 1", "size: 8192 B, depth: 1", "sizes: [8 KiB, 1 MiB], depth: 8",
                                   "sizes: [1 B, 9000 B, 100000 B], depth: 3", "size: 64 B, depth: 64"}) {
        for (const char* const keys : {"", "adaptive_routing: true, threshold: 0 B"}) {
            CAPTURE(item, keys);
            CHECK(in_child([&] {
                      return all_came(simulate(fifo(std::string(item) + ", transfers: 150", keys)), 150);
                  }) == true);
        }
    }
}
TEST_CASE("a message is two, or three with adaptive routing, and the receiver hears of one slot of 64",
          "[applications]") {
    const auto posted = [](const char* keys) {
        return in_child([&] {
                   const RunResult result = simulate(fifo("size: 64 KiB, transfers: 130, depth: 4", keys));
                   // 130 messages, and the WRITEs to slot 0: of messages 0, 64 and 128.
                   return counter(result, "client.host.sends_posted") * 1000 +
                          counter(result, "server.host.sends_posted") +
                          (counter(result, "server.host.completions_taken") == 133 ? 0U : 1'000'000'000U);
               })
            .value();
    };
    CHECK(posted("") == 130'130);
    CHECK(posted("adaptive_routing: true") == 260'130);
}
TEST_CASE("connections and a receiver that waits for events", "[applications]") {
    CHECK(in_child([] {
              std::string text = pair_text("application: fifo, size: 20000 B, transfers: 40, depth: 3, connections: 4");
              const std::string host = "server: {}";
              text.replace(text.find(host), host.size(), "server: {host.verbs: {notify: events, threads: 2}}");
              return all_came(simulate(run_config(ScenarioFile(text).load(), 0, 0, 0)), 160);
          }) == true);
}
TEST_CASE("under loss each message comes", "[applications]") {
    for (const char* const keys : {"", "adaptive_routing: true"}) {
        CHECK(in_child([&] {
                  return all_came(simulate(fifo("size: 40000 B, transfers: 100, depth: 4, connections: 2", keys,
                                                "  link.loss: 1 %\n")),
                                  200);
              }) == true);
    }
}
TEST_CASE("a sender that does not wait for its slot writes where it may not, and the connection dies",
          "[applications]") {
    CHECK(in_child([] {
              return std::ranges::all_of(
                  simulate(fifo("size: 64 KiB, transfers: 5, depth: 1", "wait: false, unsafe: true")).samples,
                  &Sample::failed);
          }) == true);
}
TEST_CASE("who is told before the data are there finds other bytes, and the run says so", "[applications]") {
    CHECK_THROWS_MATCHES(simulate(fifo("size: 64 KiB, transfers: 5, depth: 1",
                                       "adaptive_routing: true, data_first: false, unsafe: true")),
                         RunError,
                         MessageMatches(ContainsSubstring("server finds other bytes than those of operation 0")));
}
TEST_CASE("NCCL's keys are read strictly", "[applications]") {
    const auto refused = [](const std::string& item, const std::string& keys, const std::string& system = {}) {
        return rejection(pair_text("application: fifo, " + item + ", fifo: {" + keys + "}", system));
    };
    CHECK_THAT(refused("size: 1 MiB", "wait: false"), ContainsSubstring("run.fifo.unsafe: true runs it"));
    CHECK_THAT(refused("size: 1 MiB", "adaptive_routing: true, data_first: false"),
               ContainsSubstring("run.fifo.unsafe: true runs it"));
    CHECK_THAT(refused("size: 1 MiB", "unsafe: true"), ContainsSubstring("nothing is unsafe"));
    CHECK_THAT(refused("size: 1 KiB", "adaptive_routing: true"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("size: 1 MiB", "threshold: 1 KiB"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("size: 1 MiB, transfers: 10, depth: 4", "slots: 20"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("size: 1 KiB, depth: 5", "slots: 4"), ContainsSubstring("expected at most fifo.slots, 4"));
    CHECK_THAT(rejection(pair_text("application: fifo, size: 1 KiB", "  host.verbs.notify: events\n")),
               ContainsSubstring("expected poll: fifo looks at its memory"));
}
TEST_CASE("fifo: slots that come in another order are noticed, each", "[applications]") {
    CHECK(in_child([] {
              const RunResult result = simulate(
                  fifo("size: 64 B, transfers: 5, depth: 2, connections: 200", "slots: 2",
                       "  link.reordering: 10 %\n  link.lateness: 2 us\n  rnic.rc.retransmission: selective_repeat\n"));
              return all_came(result, 1000);
          }) == true);
}
