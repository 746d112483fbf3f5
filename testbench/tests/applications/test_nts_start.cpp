// SPDX-License-Identifier: Apache-2.0
// Runs whose hosts open the windows of their bridge first (B6): when the first message goes, and what outages do.
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/applications/near_to_target.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

using namespace rnicsim;

namespace {

constexpr std::int64_t kFirst = 8'000;  // ps: without a start-up, and by itself, the first operation begins

RunConfig starts_up(const std::string& item, const std::string& bridge = {}, const std::string& tape = {},
                    const std::string& host = {}) {
    return near_to_target(item, ", start_up: true" + bridge, host, tape);
}
/// When the first operation begins, ps.
std::int64_t first_begins(const RunConfig& config) {
    return in_child([&] {
               const RunResult result = simulate(config);
               const auto first = std::ranges::min_element(result.samples, {}, &Sample::start);
               return all_came(result, result.samples.size()) ? first->start.ps : -1;
           })
        .value_or(-1);
}

}  // namespace

TEST_CASE("the first message goes when both windows are open, by the time of their registers", "[applications]") {
    constexpr std::int64_t kNs = 1000;
    constexpr std::int64_t kStore = 1 * kNs, kGap = 60 * kNs;      // uncached stores
    constexpr std::int64_t kDown = 40 * kNs, kAcross = 112 * kNs;  // to the port; the bridge, both sides
    constexpr std::int64_t kWrite = 1'778, kRead = 1'524;          // 28 bytes of the link; 24, as many back
    constexpr std::int64_t kLoad = 2 * (kDown + kRead + kAcross);  // of a register
    constexpr std::int64_t kInterrupt = 2000 * kNs;
    constexpr std::int64_t kSay = kStore + 6 * kGap, kOpen = kSay + 2 * kGap;  // the two registers of a window, too
    constexpr std::int64_t kHeard = kDown + kWrite + kAcross + kInterrupt;
    constexpr std::int64_t kBegins = (kSay + kHeard) + 6 * kLoad + (kOpen + kHeard) + kLoad + kSay;
    const std::int64_t found = first_begins(starts_up("application: nts, size: 8 B, transfers: 3"));
    CAPTURE(found, kBegins);
    CHECK(found >= kBegins);
    CHECK(found <= kBegins + 12 * kNs);  // edges of the hosts' clocks
    // Whose first message is later does not wait.
    CHECK(first_begins(starts_up("application: nts, size: 8 B, transfers: 3, start: 20 us")) == 20'000 * kNs + kFirst);
}
TEST_CASE("what begins with a handshake comes: all messages, and no more doorbells than three of each driver",
          "[applications]") {
    for (const char* const item :
         {"application: nts, size: 20 KiB, connections: 3, depth: 2, transfers: 20, nts: {answer: true}",
          "application: nts, size: 8 B, connections: 8, transfers: 20, nts: {partitions: 2, answer: true}",
          "application: kv, size: 1 KiB, transfers: 40, kv: {transport: nts}"}) {
        CAPTURE(item);
        CHECK(in_child([&] {
                  const RunResult result = simulate(starts_up(item));
                  return all_came(result, result.samples.size()) &&
                         counter(result, "n0.near_to_target_doorbells") == 3 &&
                         counter(result, "n0.target_to_near_doorbells") == 3 &&
                         counter(result, "n0.near_to_target_unsupported") == 0;
              }) == true);
    }
}
TEST_CASE("nobody stores before both windows are open, nor where messages go by TCP until then", "[applications]") {
    for (const char* const failover : {"false", "true"}) {
        for (const char* const down : {"1 %", "100 %, period: 100 us, duration: 30 us"}) {
            for (const char* const keys : {"", ", answer: true", ", partitions: 1", ", index: ll"}) {
                CAPTURE(failover, down, keys);
                CHECK(in_child([&] {
                          const RunResult result = simulate(starts_up(
                              std::string(
                                  "application: nts, size: 2 KiB, transfers: 20, connections: 2, nts: {failover: ") +
                                  failover + keys + "}",
                              std::string(", down: {probability: ") + down + "}"));
                          return all_came(result, 40) && counter(result, "n0.near_to_target_unsupported") == 0 &&
                                 counter(result, "n0.target_to_near_unsupported") == 0;
                      }) == true);
            }
        }
    }
}
TEST_CASE("how far apart uncached stores are is read where registers are written", "[applications]") {
    const std::string ring = "application: nts, size: 8 B, transfers: 3", gap = "  host.cpu.store.uncached: 80 ns\n";
    CHECK(first_begins(starts_up(ring, "", "", gap)) > first_begins(starts_up(ring)) + 100'000);
    std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  hosts: {near: {}, target: {}}
  links: [{between: [near, target], rate: 100 Gbps}]
  bridges: [{name: n0, between: [near, target]}]
  hosts.near.host.cpu.store.uncached: 80 ns
run:
  traffic:
    - {from: near, to: target, application: nts, size: 8 B, nts: {notify: poll}}
)";
    CHECK(rejection(text).find("stores are combined in buffers") != std::string::npos);
    CHECK(rejection(text.replace(text.find("poll"), 4, "doorbell")).empty());
}
TEST_CASE("rings' doorbells are the 31 behind the driver's", "[applications]") {
    for (const char* const connections : {"1", "31", "32", "40"}) {
        CAPTURE(connections);
        CHECK(in_child([&] {
                  const RunResult result = simulate(
                      starts_up(std::string("application: nts, size: 8 B, transfers: 5, nts: {notify: doorbell}, "
                                            "connections: ") +
                                connections));
                  return all_came(result, 5 * std::stoull(connections));
              }) == true);
    }
}
TEST_CASE("a link that is down at the start is waited for, unless messages go by TCP meanwhile", "[applications]") {
    const std::string item = "application: nts, size: 8 B, transfers: 3, nts: {failover: ",
                      chance = ", down: {probability: 1 %}";
    for (const char* const down : {"0 us..5 ms", "0.2 us..5 ms", "2 us..5 ms", "4 us..5 ms", "4.4 us..5 ms"}) {
        CAPTURE(down);
        const std::string tape = std::string("link n0 DOWN ") + down;
        CHECK(first_begins(starts_up(item + "false}", chance, tape)) > 5'000'000'000);
        CHECK(first_begins(starts_up(item + "true}", chance, tape)) == kFirst);
    }
}
TEST_CASE("whenever a link goes down while its windows are being opened, they are in the end, and no message is lost",
          "[applications]") {
    for (const char* const down : {"70 %, period: 100 us, duration: 10 us", "100 %, period: 100 us, duration: 90 us",
                                   "50 %, period: 200 us, duration: 100 us"}) {
        for (const char* const keys :
             {"", "answer: true, failover: true", "index: ll", "notify: doorbell, answer: true"}) {
            CAPTURE(down, keys);
            CHECK(
                in_child([&] {
                    return all_came(
                        simulate(starts_up(
                            std::string("application: nts, size: 4 KiB, transfers: 200, depth: 2, nts: {") + keys + "}",
                            std::string(", down: {probability: ") + down + "}")),
                        200);
                }) == true);
        }
    }
}
TEST_CASE("a link that comes up while a driver speaks opens no window by a part of what it says", "[applications]") {
    // Both say it again at 10 ms. Near hears that the link is up 20 us later.
    for (int end = 10'000'096; end < 10'000'700; end += 40) {  // ns
        CAPTURE(end);
        CHECK(in_child([&] {
                  return all_came(simulate(starts_up("application: nts, size: 1 KiB, transfers: 3, nts: {answer: true}",
                                                     ", down: {probability: 1 %, duration: 30 us}",
                                                     "link n0 DOWN 0 us.." + std::to_string(end) + "000 ps",
                                                     "  hosts.near.host.software.interrupt_latency: 20 us\n")),
                                  3);
              }) == true);
    }
}
