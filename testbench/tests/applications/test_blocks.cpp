// SPDX-License-Identifier: Apache-2.0
// Blocks of a chain: bytes, messages, a node that catches up or never does, a producer and its peers.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

/// `client` asks `server`.
RunConfig blocks(const std::string& keys, const std::string& item = "transfers: 40, size: 5000 B",
                 const std::string& system = {}) {
    return pair_config("application: blocks, " + item + ", blocks: {" + keys + "}", system);
}
template <typename Number>
std::uint64_t of_run(const RunConfig& config, Number number) {
    const std::optional<std::uint64_t> found = in_child([&] { return number(simulate(config)); });
    REQUIRE(found);
    return *found;
}
std::uint64_t posts(const RunConfig& config) {
    return of_run(config, [](const RunResult& of) {
        return counter(of, "client.host.sends_posted") + counter(of, "server.host.sends_posted");
    });
}
/// How many blocks have been verified when one had to be waited for: when the ends of two are the interval apart. All,
/// if none had to.
std::uint64_t caught_up(const RunConfig& config, std::int64_t work_us, std::int64_t interval_us) {
    return of_run(config, [&](const RunResult& of) {
        for (std::size_t i = 1; i < of.samples.size(); ++i) {
            const std::int64_t between = (of.samples[i].end - of.samples[i - 1].end).ps;
            if (2 * between > (work_us + interval_us) * 1'000'000) return static_cast<std::uint64_t>(i);
        }
        return static_cast<std::uint64_t>(of.samples.size());
    });
}
/// Picoseconds until each of so many peers at a switch has verified a block.
std::uint64_t broadcast(unsigned peers, const std::string& size) {
    std::string links;
    for (unsigned i = 0; i < peers; ++i) links += fmt::format(", {{between: [peer{}, top]}}", i);
    const std::string text = fmt::format(
        R"(
system:
  rnic: {{profile: cx5_100g}}
  link: {{rate: 100 Gbps, delay: 390.4 ns}}
  hosts: {{producer: {{}}, peer: {{count: {}}}}}
  switches: {{top: {{mtu: 4200 B, buffer: 16 MiB, priorities: 8, pfc: {{classes: [3]}}}}}}
  links: [{{between: [producer, top]}}{}]
run:
  repetitions: 1
  traffic:
    - {{name: all, from: producer, to: peer, application: blocks, transfers: 3, depth: 1, size: {}, blocks: {{operation: broadcast, work: 0 ns}}}}
)",
        peers, links, size);
    return of_run(run_config(ScenarioFile(text).load(), 0, 0, 0), [](const RunResult& of) {
        std::int64_t last = 0;
        for (const Sample& sample : of.samples)
            if (sample.id == 2) last = std::max(last, sample.took().ps);
        return static_cast<std::uint64_t>(last);
    });
}

}  // namespace

TEST_CASE("each block is complete, and its parts are its time", "[applications]") {
    const std::string events = "  host: {cpu: {profile: xeon_2018}, verbs: {notify: events}}\n",
                      loss = "  link.loss: 1 %\n";
    const std::string system = GENERATE_COPY(std::string(), events, loss);
    const std::string keys = GENERATE("window: 1", "window: 3, irreversible: 10, heartbeat: 7",
                                      "history: 5, interval: 150 us", "operation: broadcast, window: 2");
    CHECK(in_child([&] {
              const RunResult result = simulate(blocks(keys, "transfers: 30, size: 9000 B, connections: 3", system));
              return result.samples.size() == 90 && std::ranges::all_of(result.samples, [](const Sample& of) {
                         return !of.failed() &&
                                std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
                     });
          }) == true);
}
TEST_CASE("a block takes two WRITEs; each part of a chain is asked for once", "[applications]") {
    const std::uint64_t set_up = 2 + 2;  // a SEND each way; HANDSHAKE, NOTICE
    CHECK(posts(blocks("")) == set_up + 1 + 2 * 40);
    CHECK(posts(blocks("window: 8")) == set_up + 1 + 2 * 40);
    CHECK(posts(blocks("irreversible: 15")) == set_up + 2 + 2 * 40);
    CHECK(posts(blocks("irreversible: 39")) == set_up + 2 + 2 * 40);
    CHECK(posts(blocks("irreversible: 15, heartbeat: 9")) == set_up + 2 + 2 * 40 + 4);
    // Live blocks are not asked for.
    CHECK(posts(blocks("irreversible: 5, history: 15, interval: 1 us")) == set_up + 2 + 2 * 40);
    CHECK(posts(blocks("interval: 1 us")) == set_up + 2 * 40);
    CHECK(posts(blocks("operation: broadcast")) == set_up + 2 * 40);
    CHECK(posts(blocks("operation: broadcast, heartbeat: 9")) == set_up + 2 * 40 + 4);
}
TEST_CASE("a node is as far as the chain after H / (1 - t / g) blocks, if t < g", "[applications]") {
    // 30 blocks there, 10 us each; one more each 20 us: 60 have been verified when it waits.
    const auto found = [](const std::string& work, std::int64_t us) {
        return caught_up(
            blocks("history: 30, interval: 20 us, window: 4, work: " + work, "transfers: 200, size: 64 B, depth: 1"),
            us, 20);
    };
    CHECK(found("10 us", 10) >= 58);
    CHECK(found("10 us", 10) <= 66);
    // Slower than the chain (the thesis: 1 s a block and 0.5 s from one to the next) it never waits.
    for (const std::int64_t us : {21, 40}) {
        const RunConfig config = blocks(fmt::format("history: 30, interval: 20 us, window: 4, work: {} us", us),
                                        "transfers: 200, size: 64 B");
        const std::uint64_t last =
            of_run(config, [](const RunResult& of) { return static_cast<std::uint64_t>(of.samples.back().end.ps); });
        const auto work = static_cast<std::uint64_t>(200 * us * 1'000'000);
        CHECK(last > work);
        CHECK(last < work + work / 20);
    }
}
TEST_CASE("as printed each block waits for the ACK of the one before", "[applications]") {
    const auto took = [](const std::string& window) {
        return of_run(blocks("work: 0 ns, window: " + window, "transfers: 100, size: 4 KiB, depth: 100"),
                      [](const RunResult& of) { return static_cast<std::uint64_t>(of.samples.back().end.ps); });
    };
    CHECK(took("1") > 3 * took("16"));
}
TEST_CASE("the last of K peers has a block when the producer's link has carried K", "[applications]") {
    const std::uint64_t one = broadcast(1, "1 MiB"), four = broadcast(4, "1 MiB"), eight = broadcast(8, "1 MiB");
    const std::uint64_t wire = 8 * 1'048'576 * 10;  // ps at 100 Gb/s, without headers
    CHECK(one > wire);
    CHECK(four - one > 3 * wire);
    CHECK(four - one < 3 * wire * 11 / 10);
    CHECK(eight - one > 7 * wire);
    CHECK(eight - one < 7 * wire * 11 / 10);
    CHECK(broadcast(8, "64 B") < one / 2);  // no link is full
}
TEST_CASE("a channel that dies ends all blocks that are wanted over it", "[applications]") {
    const std::string keys = GENERATE("window: 2", "operation: broadcast, window: 2");
    CHECK(in_child([&] {
              const RunResult result = simulate(
                  blocks(keys, "transfers: 40, size: 1 MiB, depth: 4", "  rnic.rc.retry_cnt: 0\n  link.loss: 5 %\n"));
              return result.samples.back().failed();
          }) == true);
}
TEST_CASE("keys of blocks that cannot be, or do nothing, are refused", "[applications]") {
    const auto refused = [](const std::string& keys, const std::string& item = "transfers: 40") {
        return rejection(pair_text("application: blocks, " + item + ", blocks: {" + keys + "}"));
    };
    CHECK(refused("irreversible: 5, history: 15, interval: 1 us, heartbeat: 40") == "");
    CHECK_THAT(refused("irreversible: 5, history: 4, interval: 1 us"), ContainsSubstring("at most blocks.history, 4"));
    CHECK_THAT(refused("window: 2", "sizes: [1 B, 2 B]"), ContainsSubstring("makes its blocks as long"));
    CHECK(refused("operation: broadcast", "sizes: [1 B, 2 B]") == "");
    for (const char* const vain : {"history: 4", "history: 40, interval: 1 us", "heartbeat: 41",
                                   "operation: broadcast, irreversible: 1", "operation: broadcast, interval: 1 us"}) {
        INFO(vain);
        CHECK_THAT(refused(vain), ContainsSubstring("has no effect"));
    }
}
