// SPDX-License-Identifier: Apache-2.0
// A ring behind a bridge beside what the cards of the same hosts do: each comes, and is judged by itself.
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

/// Of a run: how many of the ring's messages came, of the other item's, and of both did not; TLPs that crossed.
struct BesideCame {
    std::uint64_t ring = 0, others = 0, failed = 0, crossed = 0;
    friend bool operator==(const BesideCame&, const BesideCame&) = default;
};

const std::string kRingBeside = "{name: ring, from: near, to: target, application: nts, ";

std::string beside_text(const std::string& items, const std::string& system = {}, const std::string& bridge = {}) {
    return R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {near: {}, target: {}, far: {}}
  switches: {s0: {mtu: 4200 B}}
  links: [{between: [near, s0]}, {between: [target, s0]}, {between: [far, s0]}]
  bridges: [{name: n0, between: [near, target])" +
           bridge + "}]\n" + system + "run:\n  repetitions: 1\n  traffic:\n" + items;
}
RunConfig beside_config(const std::string& items, const std::string& system = {}, const std::string& bridge = {}) {
    return run_config(ScenarioFile(beside_text(items, system, bridge)).load(), 0, 0, 0);
}
std::string items_of(std::initializer_list<std::string> items) {
    std::string text;
    for (const std::string& item : items) text += "    - " + item + "}\n";
    return text;
}

}  // namespace

TEST_CASE("a ring beside messages: all come, and each item's are counted for themselves", "[applications]") {
    const std::string ring = kRingBeside + "size: 56 B, transfers: 50, depth: 4";
    for (const char* const other :
         {"{from: near, to: target, operation: write, size: 64 KiB, transfers: 30, depth: 4",
          "{from: target, to: near, operation: send, size: 5000 B, transfers: 30, depth: 4",
          "{from: near, to: target, operation: read, size: 64 KiB, transfers: 30, depth: 4",
          "{from: far, to: target, operation: write, size: 64 KiB, transfers: 30, connections: 3",
          "{from: target, to: near, operation: fetch_add, size: 8 B, transfers: 30, depth: 2"}) {
        CAPTURE(other);
        const auto found = in_child([&] {
            const RunResult result = simulate(beside_config(items_of({std::string(other), ring})));
            BesideCame is;
            for (const Sample& of : result.samples) {
                ++(of.item == 1 ? is.ring : is.others);
                is.failed += of.failed() ? 1 : 0;
            }
            is.crossed = counter(result, "n0.near_to_target_writes");
            return is;
        });
        REQUIRE(found);
        const std::uint64_t others = std::string(other).find("connections") == std::string::npos ? 30 : 90;
        CHECK(*found == BesideCame{50, others, 0, 50 * (7 + 1)});
    }
}
TEST_CASE("a ring beside another application, and beside messages of both", "[applications]") {
    for (const char* const other : {"{from: near, to: target, application: echo, transfers: 20",
                                    "{from: target, to: near, application: plasma, transfers: 20",
                                    "{from: near, to: target, application: kv, transfers: 20, kv: {transport: tcp}"}) {
        CAPTURE(other);
        CHECK(in_child([&] {
                  const RunResult result = simulate(beside_config(
                      items_of({std::string(other), kRingBeside + "size: 100000 B, transfers: 10, depth: 2"})));
                  return all_came(result, 30) && counter(result, "n0.near_to_target_unsupported") == 0;
              }) == true);
    }
}
TEST_CASE("programs beside one another take turns on a thread, and have one each where there are two",
          "[applications]") {
    const auto last = [](const std::string& system) {
        return in_child([&] {
                   const RunResult result = simulate(beside_config(
                       items_of({"{from: near, to: far, operation: write, size: 8 B, transfers: 2000, depth: 16",
                                 kRingBeside + "size: 8 B, transfers: 300, depth: 4"}),
                       system));
                   Time end;
                   for (const Sample& of : result.samples)
                       if (of.item == 1) end = std::max(end, of.end);
                   return end.ps;
               })
            .value_or(-1);
    };
    const std::int64_t one = last(""), two = last("  host: {verbs: {threads: 2}, cpu: {cores: 2}}\n");
    CAPTURE(one, two);
    CHECK(two > 0);
    CHECK(two * 3 < one * 2);
}
TEST_CASE("what is wrong with a ring is found beside messages, too", "[applications]") {
    const std::string writes = "{from: near, to: target, operation: write, size: 4 KiB, transfers: 20";
    CHECK_THROWS_MATCHES(
        simulate(beside_config(
            items_of({writes, kRingBeside + "size: 200 B, transfers: 50, nts: {fence: false, unsafe: true}"}), {},
            ", credits: {headers: 1}")),
        RunError, MessageMatches(ContainsSubstring("finds other bytes than those of operation")));
}
TEST_CASE("what cannot be beside a ring is named", "[applications]") {
    const auto refused = [](const std::string& other, const std::string& why, const std::string& system = {}) {
        CHECK_THAT(rejection(beside_text(items_of({kRingBeside + "size: 8 B", other}), system)),
                   ContainsSubstring(why));
    };
    const std::string writes = "{from: near, to: target, operation: write";
    refused(writes + ", scheme: fig3", "expected a host to have one kind");
    refused(writes, "looks at its memory, which wakes nobody", "  host: {verbs: {notify: events}}\n");
}
