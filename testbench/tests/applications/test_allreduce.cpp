// SPDX-License-Identifier: Apache-2.0
// Sums over a ring of hosts: they are right, for any number of hosts, under loss and where a link dies; ends that share
// a host's memory wake each other. Each run compares its counts with the formula, and every sum, by itself.
#include "testbench/tests/applications/explored.h"
#include "testbench/tests/applications/ring_of.h"

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
using Catch::Matchers::StartsWith;

namespace {

RunConfig sums(unsigned hosts, const std::string& item, const std::string& keys = {}, const std::string& system = {}) {
    return ring_config(hosts, "application: allreduce, " + item + (keys.empty() ? "" : ", allreduce: {" + keys + "}"),
                       system);
}

}  // namespace

TEST_CASE("sums of two and more hosts are right, whatever the size and the number of rings", "[applications]") {
    struct Ring {
        unsigned hosts;
        const char* item;
        std::size_t operations;
    };
    for (const Ring& of : {Ring{2, "size: 8 B, transfers: 40", 80}, Ring{3, "size: 12 KiB, transfers: 20", 60},
                           Ring{5, "size: 100000 B, transfers: 9, connections: 3", 135},
                           Ring{4, "size: 1 MiB, transfers: 3, think: 8 us", 12}}) {
        CAPTURE(of.hosts, of.item);
        CHECK(in_child([&] { return all_came(simulate(sums(of.hosts, of.item)), of.operations); }) == true);
    }
}
TEST_CASE("under loss each sum is right", "[applications]") {
    CHECK(in_child([] {
              const std::string lossy = "  rnic.rc.timeout: 4\n  link.loss: 1 %\n";
              return all_came(simulate(sums(4, "size: 64 KiB, transfers: 20", {}, lossy)), 80);
          }) == true);
}
TEST_CASE("what the thread adds takes its time: half of all steps", "[applications]") {
    const auto worked = [](const char* keys) {
        return in_child([&] {
                   return counter(simulate(sums(3, "size: 12 KiB, transfers: 10", keys)), "node.host.worked_work_ps");
               })
            .value();
    };
    CHECK(worked("reduce: 80 ns") - worked("reduce: 0 ns") == 3 * 10 * 2 * 4 * 80'000);  // two steps of 4 KiB at each
}
TEST_CASE("a host that does not wait for what it is to add spoils the sum", "[applications]") {
    CHECK_THROWS_MATCHES(simulate(sums(3, "size: 12 KiB, transfers: 3", "wait: false, unsafe: true")), RunError,
                         MessageMatches(ContainsSubstring("of all-reduce 0 is ")));
}
TEST_CASE("the ring of two, in every order: that fault is found", "[applications]") {
    CHECK_THAT(explored(sums(2, "size: 8 B", "wait: false, unsafe: true"), {8}),
               StartsWith("element 1 of all-reduce 0 is "));
}
TEST_CASE("a ring that breaks fails the sums of all its hosts", "[applications]") {
    CHECK(in_child([] {
              const RunResult result =
                  simulate(sums(3, "size: 12 KiB, transfers: 4", {}, "  rnic.rc.timeout: 4\n  link.loss: 60 %\n"));
              return std::ranges::all_of(result.samples, &Sample::failed);
          }) == true);
}
TEST_CASE("where the link of one host goes down, no host waits for ever, and sums that have come are right",
          "[applications]") {
    for (const char* const live : {"", "7", "9"}) {  // it goes down after 1 ms, 300 us, 100 us
        for (const int seed : {1, 2, 3}) {
            CAPTURE(live, seed);
            CHECK(in_child([&] {
                      RunConfig config = ring_config(
                          4, "application: allreduce, size: 48 KiB, transfers: 30, think: 96 us", {},
                          ", down: {probability: 99.99 %, period: 100 s, duration: 99.999" + std::string(live) + " s}");
                      config.seed = static_cast<std::uint64_t>(seed);
                      const RunResult result = simulate(config);
                      return result.samples.size() == 120 && std::ranges::any_of(result.samples, &Sample::failed);
                  }) == true);
        }
    }
}
TEST_CASE("a ring's keys are read strictly", "[applications]") {
    const auto refused = [](unsigned hosts, const char* item, const std::string& why, const char* keys = "",
                            const char* system = "") {
        CHECK_THROWS_WITH(sums(hosts, item, keys, system), ContainsSubstring(why));
    };
    refused(3, "size: 16 KiB", "a multiple of 12 B");
    refused(3, "sizes: [12 B, 24 B]", "expected none: the vectors of all hosts are as long");
    refused(3, "size: 12 B", "expected true: what is sent lacks what has not come yet", "wait: false");
    refused(3, "size: 12 B", "expected false: nothing is unsafe", "unsafe: true");
    refused(3, "size: 12 B", "expected 1: one thread has all ends of allreduce on a host", "",
            "  host: {cpu: {profile: xeon_2018}, verbs: {threads: 2}}\n");
    refused(3, "size: 12 B", "its program has one thread, expected another run.application", "",
            "  host: {cpu: {profile: xeon_2018, cores: 2}}\n");
}
