// SPDX-License-Identifier: Apache-2.0
// Plasma between two hosts: bytes, times of its parts, faults, what it does under loss.
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
#include <optional>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

/// `client` wants objects of `server`.
RunConfig plasma(const std::string& keys, const std::string& system = {}, const std::string& item = "size: 50000 B") {
    return pair_config("application: plasma, transfers: 5, " + item + ", plasma: {" + keys + "}", system);
}
Time last_get(const std::string& keys, const std::string& system = {}) {
    const std::optional<Time> took = in_child([&] { return simulate(plasma(keys, system)).samples[4].took(); });
    REQUIRE(took);
    return *took;
}
constexpr const char* kProtocols[] = {"socket", "sendrecv", "read", "hybrid"};

}  // namespace

TEST_CASE("each object is complete, and its parts are its time", "[applications]") {
    for (const char* const protocol : kProtocols) {
        CHECK(in_child([&] {
                  const RunResult result =
                      simulate(plasma(std::string("protocol: ") + protocol, "  host: {cpu: {profile: xeon_2018}}\n"));
                  return result.samples.size() == 5 && std::ranges::all_of(result.samples, [](const Sample& of) {
                             return !of.failed() &&
                                    std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
                         });
              }) == true);
    }
}
TEST_CASE("under loss each object comes, by each protocol", "[applications]") {
    for (const char* const protocol : kProtocols) {
        CHECK(in_child([&] {
                  const RunResult result = simulate(plasma(std::string("protocol: ") + protocol, "  link.loss: 1 %\n",
                                                           "sizes: [1000 B, 40000 B, 100000 B], connections: 2"));
                  return result.samples.size() == 10 && std::ranges::none_of(result.samples, &Sample::failed);
              }) == true);
    }
}
TEST_CASE("READ: each object is registered by both ends in turn; the user's is given up before it is sealed",
          "[applications]") {
    // 50,000 B from the beginning of a page on are 13 pages.
    const std::string keys = "protocol: read", base = "registration.base: 20 us, deregistration.base: 5 us";
    const auto cpu = [](const std::string& of) { return "  host: {cpu: {" + of + "}}\n"; };
    const Time before = last_get(keys, cpu(base));
    CHECK((last_get(keys, cpu(base + ", deregistration.page: 320 ns")) - before).ps == 4'160'000);
    const Time slower = last_get(keys, cpu(base + ", registration.page: 320 ns"));
    CHECK((slower - before).ps == 2 * 4'160'000);
}
TEST_CASE("a call of the store costs the user three times, and its owner once, before an object is sealed",
          "[applications]") {
    for (const char* const protocol : kProtocols) {
        const std::string keys = std::string("protocol: ") + protocol;
        const auto with = [&](const char* ipc) { return last_get(keys, std::string("  host.cpu.ipc: ") + ipc + "\n"); };
        // The owner's release ends before the next object is asked for.
        CHECK((with("4000 ns") - with("3200 ns")).ps == 4 * 800'000);
    }
}
TEST_CASE("the user touches each page of an object once, by each protocol", "[applications]") {
    struct Given {
        const char *keys, *item;
        int pages;
    };
    // Chunks of 12,800 B begin within pages, each with the end of the one before.
    for (const Given& of : {Given{"protocol: socket", "size: 1000 B", 1}, Given{"protocol: read", "size: 50000 B", 13},
                            Given{"protocol: sendrecv", "size: 50000 B", 13},
                            Given{"protocol: sendrecv, chunk: 12800 B", "size: 50000 B", 16}}) {
        CAPTURE(of.keys);
        const auto with = [&](const char* touch) {
            const std::string system = std::string("  host.cpu.touch: ") + touch + "\n";
            return in_child([&] { return simulate(plasma(of.keys, system, of.item)).samples[4].took().ps; }).value();
        };
        CHECK(with("4000 ns") - with("3200 ns") == of.pages * 800'000);
    }
}
TEST_CASE("chunks of an object that caches do not hold are copied at the rate of memory", "[applications]") {
    const auto with = [](const char* llc) {
        const std::string cpu = std::string("copy: {cold: 1 GB/s, warm: 10 GB/s}, llc: ") + llc;
        return last_get("protocol: sendrecv", "  host: {cpu: {" + cpu + "}}\n");
    };
    // 50,000 B twice, at .9 ns a byte more; the owner copies the first chunk while DATA is on its way.
    const Time more = with("49999 B") - with("50000 B");
    CHECK(more > kMicrosecond * 82);
    CHECK(more < kMicrosecond * 90);
}
TEST_CASE("an object as long as the threshold goes by READ", "[applications]") {
    const RunConfig config = plasma("protocol: hybrid, threshold: 20 KiB", {}, "sizes: [20479 B, 20480 B]");
    const auto registrations = [&](std::uint32_t size) {
        const std::array<std::uint32_t, 1> sizes{size};
        return protocol_of(config.traffic.at(0))
            ->expected(config.traffic.at(0), sizes, 1024)[0][applications::Count::registrations];
    };
    CHECK(registrations(20'479) == 0);
    CHECK(registrations(20'480) == 1);
}
TEST_CASE("a window saves the waits between its chunks", "[applications]") {
    const Time one = last_get("protocol: sendrecv"), four = last_get("protocol: sendrecv, window: 4"),
               all = last_get("protocol: sendrecv, window: 100");
    CHECK(four < one);
    CHECK(all < four);
}
TEST_CASE("without ACKs chunks find no receive WQE, and wait", "[applications]") {
    const RunResult result =
        simulate(plasma("protocol: sendrecv, chunk: 1 KiB, recv_wrs: 2, ack: false, unsafe: true"));
    CHECK(std::ranges::none_of(result.samples, &Sample::failed));
    CHECK(counter(result, "client.rc.rnr_naks_sent") > 0);
}
TEST_CASE("with one slot for a window bytes differ, and the run says so", "[applications]") {
    CHECK_THROWS_MATCHES(simulate(plasma("protocol: sendrecv, window: 4, slots: shared, unsafe: true")), RunError,
                         MessageMatches(ContainsSubstring("client finds other bytes than those of operation 0")));
}
TEST_CASE("faults are refused unless they are asked for", "[applications]") {
    const auto refused = [](const std::string& keys) {
        return rejection(pair_text("application: plasma, size: 20000 B, plasma: {" + keys + "}"));
    };
    CHECK_THAT(refused("ack: false"), ContainsSubstring("run.plasma.unsafe: true runs it"));
    CHECK_THAT(refused("slots: shared, window: 2"), ContainsSubstring("run.plasma.unsafe: true runs it"));
    CHECK_THAT(refused("unsafe: true"), ContainsSubstring("nothing is unsafe"));
    CHECK_THAT(refused("window: 101"), ContainsSubstring("expected at most recv_wrs, 100"));
}
TEST_CASE("a connection that dies ends all that is wanted over it", "[applications]") {
    for (const char* const protocol : {"socket", "sendrecv", "read"}) {
        CHECK(in_child([&] {
                  const RunResult result = simulate(plasma(std::string("protocol: ") + protocol,
                                                           std::string_view(protocol) == "socket"
                                                               ? "  link.loss: 80 %\n"
                                                               : "  rnic.rc.retry_cnt: 0\n  link.loss: 5 %\n",
                                                           "size: 1 MiB"));
                  return result.samples[4].failed();
              }) == true);
    }
}
TEST_CASE("a copy is there before the post of the same cycle that sends it", "[applications]") {
    const std::string text = pair_text("application: plasma, transfers: 9, size: 1 B, plasma: {protocol: sendrecv}",
                                       "  host: {verbs: {post: 0 ns, posting: doorbell}}\n");
    CHECK(in_child([&] {
              const RunResult result = simulate(run_config(ScenarioFile(text).load(), 0, 0, 0));
              return std::ranges::none_of(result.samples, &Sample::failed);
          }) == true);
}
TEST_CASE("a connection that dies behind its last object has not to count what the formula says", "[applications]") {
    // In some of them only the last ACK is lost, and is not sent again.
    for (int seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        CHECK(in_child([&] {
                  RunConfig config =
                      plasma("protocol: sendrecv", "  rnic.rc.retry_cnt: 0\n  link.loss: 10 %\n", "size: 4 KiB");
                  config.traffic.at(0).transfers = 1;
                  config.seed = static_cast<std::uint64_t>(seed);
                  return simulate(config).samples.size() == 1;
              }) == true);
    }
}
TEST_CASE("a run waits for what the owner has to do behind the last object", "[applications]") {
    // The last ACK or FIN is lost in some of them.
    for (const char* const protocol : {"sendrecv", "read"}) {
        for (int seed = 1; seed <= 40; ++seed) {
            CHECK(in_child([&] {
                      RunConfig config =
                          plasma(std::string("protocol: ") + protocol, "  link.loss: 5 %\n", "size: 4 KiB");
                      config.traffic.at(0).transfers = 1;
                      config.seed = static_cast<std::uint64_t>(seed);
                      return simulate(config).samples.size() == 1;
                  }) == true);
        }
    }
}
