// SPDX-License-Identifier: Apache-2.0
// Runs over a bridge whose link is down for long, or always: who waits is waited for, and who waits in vain is told of
// the bridge.
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/applications/near_to_target.h"
#include "testbench/tests/applications/recorded.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <string>

using namespace rnicsim;

namespace {

RunConfig over_n0(const std::string& bridge, const std::string& item, const std::string& tape = {},
                  const std::string& keys = {}) {
    return near_to_target("application: nts, " + item, bridge, keys, tape);
}

}  // namespace

TEST_CASE("a run that a bridge's link stops names the bridge, and what to do", "[applications]") {
    for (const char* const down :
         {"100 %, period: 10 ms, duration: 10 ms", "100 %, period: 10 ms, duration: 9.999 ms"}) {
        CAPTURE(down);
        CHECK(in_child([&] {
                  try {
                      simulate(
                          over_n0(std::string(", down: {probability: ") + down + "}", "size: 1 MiB, transfers: 99"));
                  } catch (const RunError& error) {
                      const std::string said = error.what();
                      return said.starts_with("watchdog: ") &&
                             said.find("; the link of bridge 'n0' was down for ") != std::string::npos &&
                             said.find(
                                 "expected less by system.bridge.down, or messages that go by TCP meanwhile "
                                 "(run.nts.failover)") != std::string::npos;
                  }
                  return false;
              }) == true);
    }
}
TEST_CASE("outages of a tape that follow one another are waited for, all of them", "[applications]") {
    for (const char* const tape :
         {"link n0 DOWN 0 ms..1800 ms\nlink n0 DOWN 1800 ms..3600 ms", "link n0 DOWN 10 us..4000 ms"})
        CHECK(in_child([&] {
                  return all_came(simulate(over_n0(", down: {probability: 1 %}", "size: 8 B, transfers: 20", tape)),
                                  20);
              }) == true);
}
TEST_CASE("a run ends by the stream with nothing left in a core's buffers, however few places its port has",
          "[applications]") {
    for (const char* const posted : {"1", "2", "32"}) {
        for (const char* const down :
             {"70 %, period: 400 us, duration: 150 us", "100 %, period: 100 us, duration: 60 us"}) {
            CAPTURE(posted, down);
            CHECK(in_child([&] {
                      return all_came(
                          simulate(over_n0(std::string(", down: {probability: ") + down + "}",
                                           "size: 20 KiB, transfers: 300, depth: 3, nts: {index: ll, failover: true, "
                                           "answer: true}",
                                           "", std::string("  host.root_port.posted: ") + posted + "\n")),
                          300);
                  }) == true);
        }
    }
}
TEST_CASE("a sender that waits for a load while two questions come answers both", "[applications]") {
    // The second outage ends so that its question comes as the load of the first one is given up.
    for (const char* const index : {"ll", "lr"}) {
        for (const char* const second :
             {"105 us..108.8 us", "105 us..108.88 us", "105 us..108.96 us", "105 us..109.04 us"}) {
            CAPTURE(index, second);
            CHECK(in_child([&] {
                      return all_came(
                          simulate(over_n0(", down: {probability: 1 %}",
                                           std::string("size: 20 KiB, transfers: 12, depth: 3, nts: {index: ") + index +
                                               ", slot: 1 KiB, ring: 16 KiB, rx: 1 us}",
                                           std::string("link n0 DOWN 61 us..64 us\nlink n0 DOWN ") + second,
                                           "  host.root_port.completion_timeout: 50 us\n")),
                          12);
                  }) == true);
        }
    }
}
TEST_CASE("a message that a slow bridge carries for seconds is waited for, as its slots come", "[applications]") {
    CHECK(in_child([&] { return all_came(simulate(over_n0(", rate: 1 Mbps", "size: 256 KiB, transfers: 1")), 1); }) ==
          true);
}
TEST_CASE("where the bridge is down and TCP gives up, too, operations fail, and the run ends", "[applications]") {
    // The link is up in the first second, and then for a second in 100.
    for (const char* const keys : {"", ", answer: true", ", partitions: 1"}) {
        for (unsigned repetition = 0; repetition < 4; ++repetition) {
            CAPTURE(keys, repetition);
            CHECK(in_child([&] {
                      RunConfig config = over_n0(", down: {probability: 100 %, period: 100 s, duration: 99 s}",
                                                 std::string("size: 20 KiB, transfers: 30, connections: 2, depth: 4, "
                                                             "start: 2 s, nts: {failover: true") +
                                                     keys + "}",
                                                 "", "  link.loss: 70 %\n");
                      config.repetition = repetition;
                      const RunResult result = simulate(config);
                      return result.samples.size() == 60 && std::ranges::any_of(result.samples, &Sample::failed);
                  }) == true);
        }
    }
}
TEST_CASE("a stream that is closed ends no store", "[applications]") {
    const RunConfig config =
        over_n0(", down: {probability: 1 %}", "size: 8 B, depth: 4, transfers: 9, nts: {failover: true}");
    Recorded sender(config.traffic.at(0), 0);
    for (std::uint32_t i = 0; i < 2; ++i) sender.on({.what = applications::Event::What::asked, .tag = i, .bytes = 8});
    const std::size_t stored = sender.stores.size();
    CHECK(stored > 0);  // the first message's; the other one waits for it
    sender.on({.what = applications::Event::What::closed});
    CHECK(sender.stores.size() == stored);
    sender.on({.what = applications::Event::What::done, .tag = sender.commands.front()});
    CHECK(sender.stores.size() > stored);
}
