// SPDX-License-Identifier: Apache-2.0
// Documents between two hosts: bytes, messages and what they take on the wire, who has RDMA, buffers, faults.
#include "testbench/applications/documents/load.h"
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kCosts = "  host: {cpu: {profile: xeon_2018}}\n";

/// `client` asks `server`.
RunConfig documents(const std::string& keys, const std::string& item = "transfers: 40, size: 500 B",
                    const std::string& system = {}) {
    return pair_config("application: documents, " + item + ", documents: {work: 0 ns, " + keys + "}", system);
}
/// Of a run, a number.
template <typename Number>
std::uint64_t of_run(const RunConfig& config, Number number) {
    const std::optional<std::uint64_t> found = in_child([&] { return number(simulate(config)); });
    REQUIRE(found);
    return *found;
}
/// Work requests, ACKs of packets not among them.
std::uint64_t posts(const RunConfig& config) {
    return of_run(config, [](const RunResult& of) {
        return counter(of, "client.host.sends_posted") + counter(of, "server.host.sends_posted");
    });
}
/// Picoseconds of the operation, from the beginning of the part to the end.
std::uint64_t time_of(const RunConfig& config, std::size_t operation, std::size_t from_part = 2) {
    return of_run(config, [&](const RunResult& of) {
        const Sample& sample = of.samples.at(operation);
        return static_cast<std::uint64_t>(std::accumulate(sample.parts.begin() + static_cast<std::ptrdiff_t>(from_part),
                                                          sample.parts.end(), std::int64_t{0}));
    });
}
std::uint64_t time_of_all(const RunConfig& config) {
    return of_run(config, [](const RunResult& of) { return static_cast<std::uint64_t>(of.samples.back().end.ps); });
}

}  // namespace

TEST_CASE("each document is complete, and its parts are its time", "[applications]") {
    const std::string support = GENERATE("both", "client");
    const std::string notify = support == "both" ? ", verbs: {notify: events}" : "";  // of streams it is always so
    const std::string events = "  host: {cpu: {profile: xeon_2018}" + notify + "}\n", loss = "  link.loss: 1 %\n";
    const std::string system = GENERATE_COPY(std::string(), events, loss);
    const std::string keys = GENERATE("query, slots: 3", "write", "oplog, news: 3, heartbeat: 2");
    const std::string depth = keys.starts_with("oplog") ? "depth: 1" : "depth: 7";
    CHECK(in_child([&] {
              const RunResult result =
                  simulate(documents("support: " + support + ", operation: " + keys,
                                     depth + ", size: 500 B, transfers: 30, connections: 3", system));
              return result.samples.size() == 90 && std::ranges::all_of(result.samples, [](const Sample& of) {
                         return !of.failed() &&
                                std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
                     });
          }) == true);
}
TEST_CASE("a document takes two WRITEs, and more where messages take turns", "[applications]") {
    CHECK(posts(documents("operation: write")) == 2 * 40);
    CHECK(posts(documents("operation: write, flow: turns")) == 4 * 40);
    for (const char* const size : {"size: 64 B", "size: 100000 B"}) {  // no more of them for more bytes
        CHECK(posts(documents("operation: query", std::string("transfers: 40, ") + size)) == 2 * 40);
        CHECK(posts(documents("operation: query, flow: turns", std::string("transfers: 40, ") + size)) == 3 * 40);
    }
}
TEST_CASE("a round takes two WRITEs, four if it finds new entries, two more with a heartbeat", "[applications]") {
    const std::string rounds = "transfers: 40, depth: 1, size: 500 B";
    CHECK(posts(documents("operation: oplog", rounds)) == 4 * 40);
    CHECK(posts(documents("operation: oplog, news: 4", rounds)) == 2 * 40 + 2 * 10);
    CHECK(posts(documents("operation: oplog, news: 4, heartbeat: 5", rounds)) == 2 * 40 + 2 * 10 + 2 * 8);
}
TEST_CASE("a message is 650 B on the wire, and the ACK of one 66", "[applications]") {
    const auto bytes = [](const char* transfers) {
        return of_run(documents("operation: write", std::string("size: 500 B, transfers: ") + transfers),
                      [](const RunResult& of) { return counter(of, "client.gmac.tx_bytes"); });
    };
    CHECK(bytes("80") - bytes("40") == 40 * (650 + 66));
}
TEST_CASE("documents go by RDMA where both hosts have it", "[applications]") {
    for (const char* const operation : {"query", "write"}) {
        for (const char* const support : {"client", "server", "neither"}) {
            const std::string keys = std::string("operation: ") + operation + ", support: " + support;
            CHECK(in_child([&] {
                      const RunResult result = simulate(documents(keys));
                      return counter(result, "client.rc.tx_packets") + counter(result, "server.rc.tx_packets") == 0 &&
                             std::ranges::none_of(result.samples, &Sample::failed);
                  }) == true);
        }
    }
}
TEST_CASE("only the first operation finds out who has RDMA", "[applications]") {
    const RunConfig config = documents("operation: write", "transfers: 3, depth: 1, size: 500 B", kCosts);
    CHECK(of_run(config, [](const RunResult& of) {
              return of.samples[0].parts[0] > 0 && of.samples[1].parts[0] == 0 && of.samples[2].parts[0] == 0 ? 1U : 0U;
          }) == 1);
}
TEST_CASE("more slots give more operations, one message at a time does not", "[applications]") {
    const auto all = [](const std::string& keys) {
        return time_of_all(documents("operation: write, " + keys, "transfers: 400, size: 500 B, depth: 8"));
    };
    const std::uint64_t one = all("slots: 1"), eight = all("slots: 8"), turns = all("flow: turns");
    CHECK(2 * eight < one);
    CHECK(2 * eight < turns);
}
TEST_CASE("a query takes as long as other requests, and its bytes", "[applications]") {
    const auto took = [](const std::string& keys, const std::string& size) {
        return time_of(documents(keys, "transfers: 4, depth: 1, size: " + size), 3);
    };
    const std::uint64_t write = took("operation: write", "512 B"), query = took("operation: query", "568 B"),
                        more = took("operation: query", "100568 B");
    CHECK(query < write + write / 20);
    CHECK(write < query + query / 20);
    const std::uint64_t wire = 8 * 100'000 * 10;  // ps at 100 Gb/s, without headers
    CHECK(more - query > wire);
    CHECK(more - query < wire + wire / 4);
}
TEST_CASE("registered buffers beat registering at each query, small ones most", "[applications]") {
    const auto ratio = [](const std::string& size) {
        const auto took = [&](const char* buffers) {
            return static_cast<double>(time_of(
                documents(std::string("buffers: ") + buffers, "transfers: 4, depth: 1, size: " + size, kCosts), 3));
        };
        return took("each") / took("pool");
    };
    const std::vector<double> all{ratio("64 B"), ratio("4 KiB"), ratio("256 KiB")};
    CHECK(std::ranges::is_sorted(all, std::greater{}));
    CHECK(all.back() > 1);
}
TEST_CASE("buffers by load are those of equation 3.1", "[applications]") {
    using namespace applications;
    CHECK(by_equation({0, 0}) == 35'000'000);
    CHECK(by_equation({0.25, 0.25}) == 19'687'500);
    CHECK(by_equation({0.5, 0.5}) == 8'750'000);
    CHECK(by_equation({0.9375, 0.9}) == 218'750);
    CHECK(by_equation({1, 0}) == 0);
    // As printed: much where little is used, and where nothing is left.
    CHECK(by_printed_rule({0, 0}, 0.5) == 50'000'000);
    CHECK(by_printed_rule({0.25, 0.25}, 0.5) == 50'000'000);
    CHECK(by_printed_rule({0.5, 0.25}, 0.5) == 13'125'000);
    CHECK(by_printed_rule({1, 0}, 0.5) == 50'000'000);
}
TEST_CASE("as printed a host without free memory registers most, by the equation none", "[applications]") {
    const std::string item = "transfers: 2, depth: 1, size: 100000 B";
    const auto set_up = [&](const std::string& keys) {
        return of_run(documents(keys, item, kCosts),
                      [](const RunResult& of) { return static_cast<std::uint64_t>(of.samples[0].parts[0]); });
    };
    const std::uint64_t idle = set_up("sizing: equation"),
                        full = set_up("sizing: printed, memory_load: 100 %, unsafe: true");
    // 50 MB and 35, both of pages of 4 KiB.
    CHECK(10 * full > 14 * idle);
    CHECK(10 * full < 15 * idle);
    CHECK_THAT(
        rejection(pair_text("application: documents, " + item + ", documents: {sizing: equation, memory_load: 100 %}")),
        ContainsSubstring("a connection registers 0 B, and a buffer has 100000 B"));
}
TEST_CASE("fewer buffers than slots hold operations back, and lose none", "[applications]") {
    // Two of 100000 B.
    const std::string load = "sizing: equation, memory_load: 93.75 %, network_load: 90 %";
    const std::string item = "transfers: 40, depth: 8, size: 100000 B";
    CHECK(in_child([&] {
              const RunResult result = simulate(documents(load, item));
              return std::ranges::none_of(result.samples, &Sample::failed) && result.samples[7].parts[1] > 0;
          }) == true);
}
TEST_CASE("a round that finds nothing waits, and one that does makes a second round trip", "[applications]") {
    const auto took = [](std::size_t round, std::size_t from) {
        return time_of(
            documents("operation: oplog, news: 2, timeout: 50 us, history: 64 B", "transfers: 4, depth: 1, size: 64 B"),
            round, from);
    };
    const std::uint64_t waits = took(1, 5), asks = took(1, 2) - waits, pulls = took(2, 2);
    CHECK(waits > 49'900'000);
    CHECK(waits < 50'100'000);
    CHECK(pulls > 18 * asks / 10);
    CHECK(pulls < 22 * asks / 10);
}
TEST_CASE("as printed each round pulls the whole log", "[applications]") {
    const auto packets = [](const std::string& keys) {
        return of_run(documents("operation: oplog, history: 64 KiB, " + keys, "transfers: 10, depth: 1, size: 1024 B"),
                      [](const RunResult& of) { return counter(of, "server.rc.tx_payload_packets"); });
    };
    CHECK(packets("news: 2") == 10 + 64 + 4);
    CHECK(packets("news: 1, initial_sync: always, unsafe: true") == 10 + 10 * 64);
}
TEST_CASE("as printed no receive WQE is posted again, and messages find none", "[applications]") {
    const std::string item = "transfers: 40, size: 500 B, depth: 1";
    CHECK(in_child([&] {
              const RunResult result = simulate(documents("operation: write, slots: 4, repost: false, unsafe: true",
                                                          item, "  rnic.rc.rnr_retry: 2\n"));
              const auto complete =
                  std::ranges::count_if(result.samples, [](const Sample& of) { return !of.failed(); });
              return complete == 6 && counter(result, "server.rc.rnr_naks_sent") == 3;
          }) == true);
}
TEST_CASE("a connection of documents that dies ends all that is wanted over it", "[applications]") {
    CHECK(in_child([&] {
              const RunResult result = simulate(documents("operation: query", "transfers: 40, size: 1 MiB, depth: 4",
                                                          "  rnic.rc.retry_cnt: 0\n  link.loss: 5 %\n"));
              return result.samples.back().failed();
          }) == true);
}
TEST_CASE("keys of documents that cannot be, or do nothing, are refused", "[applications]") {
    const auto refused = [](const std::string& keys, const std::string& item = "transfers: 40, depth: 1") {
        return rejection(pair_text("application: documents, " + item + ", documents: {" + keys + "}"));
    };
    CHECK(refused("operation: query, flow: turns, buffers: each") == "");
    CHECK_THAT(refused("operation: write"), ContainsSubstring("at most 512 B"));
    CHECK_THAT(refused("operation: oplog", "transfers: 40"), ContainsSubstring("1: a secondary has one round"));
    CHECK_THAT(refused("repost: false"), ContainsSubstring("run.documents.unsafe: true runs it"));
    CHECK_THAT(refused("operation: oplog, initial_sync: always"), ContainsSubstring("run.documents.unsafe: true"));
    CHECK_THAT(refused("sizing: printed"), ContainsSubstring("run.documents.unsafe: true runs it"));
    CHECK_THAT(refused("unsafe: true"), ContainsSubstring("nothing is unsafe"));
    for (const char* const vain :
         {"news: 2", "timeout: 1 us", "history: 64 B", "heartbeat: 1", "initial_sync: always, unsafe: true",
          "operation: oplog, timeout: 1 us", "operation: oplog, heartbeat: 41", "operation: oplog, buffers: each",
          "operation: oplog, slots: 2", "flow: turns, slots: 2", "support: client, flow: turns",
          "support: client, buffers: each", "memory_load: 5 %", "buffers: each, sizing: equation",
          "sizing: equation, overload: 5 %", "support: client, repost: false, unsafe: true",
          "operation: oplog, news: 3, initial_sync: always, unsafe: true"}) {
        INFO(vain);
        CHECK_THAT(refused(vain), ContainsSubstring("has no effect"));
    }
    CHECK_THAT(refused("operation: write, buffers: each", "transfers: 40, size: 64 B"),
               ContainsSubstring("has no effect"));
    CHECK_THAT(refused("operation: oplog, news: 2", "transfers: 1, depth: 1"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("repost: false, unsafe: true", "transfers: 18"), ContainsSubstring("has no effect"));
    CHECK(refused("repost: false, unsafe: true", "transfers: 19") == "");
}
