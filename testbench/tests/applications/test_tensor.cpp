// SPDX-License-Identifier: Apache-2.0
// Tensors between two hosts: bytes, messages, paths, one message at a time, its fault, what happens under loss.
#include "testbench/tests/applications/pair_of.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr const char* kTensorEvents = "  host: {cpu: {profile: xeon_2018}, verbs: {notify: events}}\n";

/// `client` asks for tensors of `server`.
RunConfig tensor(const std::string& keys, const std::string& system = {},
                 const std::string& item = "transfers: 40, size: 5000 B") {
    return pair_config("application: tensor, " + item + (keys.empty() ? "" : ", tensor: {" + keys + "}"), system);
}
/// The time of the last of five tensors, one at a time.
Time tensor_time(const std::string& keys, const std::string& system = {}) {
    const std::optional<Time> took = in_child([&] {
        return simulate(tensor(keys + ", tensors: 1", system, "transfers: 5, depth: 1, size: 5000 B"))
            .samples[4]
            .took();
    });
    REQUIRE(took);
    return *took;
}
std::uint64_t tensor_posts(const std::string& keys, const std::string& item) {
    const std::optional<std::uint64_t> both = in_child([&] {
        const RunResult result = simulate(tensor(keys, {}, item));
        return counter(result, "client.host.sends_posted") + counter(result, "server.host.sends_posted");
    });
    REQUIRE(both);
    return *both;
}

}  // namespace

TEST_CASE("each tensor is complete, and its parts are its time", "[applications]") {
    const std::string system = GENERATE("", kTensorEvents);
    const std::string keys = GENERATE("", "path: proxy, change_every: 2", "path: proto, tensors: 3");
    const std::string sizes = GENERATE("size: 1 B, depth: 1", "sizes: [1 B, 5000 B, 100000 B], depth: 7");
    CHECK(in_child([&] {
              const RunResult result = simulate(tensor(keys, system, sizes + ", transfers: 40, connections: 3"));
              return result.samples.size() == 120 && std::ranges::all_of(result.samples, [](const Sample& of) {
                         return !of.failed() &&
                                std::accumulate(of.parts.begin(), of.parts.end(), std::int64_t{0}) == of.took().ps;
                     });
          }) == true);
}
TEST_CASE("under loss each tensor comes", "[applications]") {
    const std::string system = GENERATE("", kTensorEvents), path = GENERATE("direct", "proto");
    CHECK(in_child([&] {
              const RunResult result =
                  simulate(tensor("change_every: 2, tensors: 5, path: " + path, system + "  link.loss: 1 %\n",
                                  "transfers: 40, size: 20000 B, connections: 2"));
              return result.samples.size() == 80 && std::ranges::none_of(result.samples, &Sample::failed);
          }) == true);
}
TEST_CASE("a tensor takes three WRITEs, and seven when its meta-data are new", "[applications]") {
    for (const char* const depth : {"1", "8"}) {
        const std::string item = std::string("size: 5000 B, transfers: 40, depth: ") + depth;
        // Each of four tensors is new once; it changes with each fifth time of ten; with each.
        CHECK(tensor_posts("tensors: 4", item) == 3 * 40 + 4 * 4);
        CHECK(tensor_posts("tensors: 4, change_every: 5", item) == 3 * 40 + 4 * 4 * 2);
        CHECK(tensor_posts("tensors: 4, change_every: 1", item) == 7 * 40);
    }
}
TEST_CASE("copies and protobuf take their time, at the end that they are at", "[applications]") {
    const std::string rate = "  host: {cpu: {copy: {warm: 1 GB/s}}}\n";
    // Work begins and ends with cycles of hosts and cards.
    const auto is = [](Time found, std::int64_t us) { return std::abs(found.ps - us * 1'000'000) < 10'000; };
    const Time direct = tensor_time("path: direct", rate);
    CHECK(is(tensor_time("path: proxy", rate) - direct, 5));
    const Time proto = tensor_time("path: proto, serialize: 1 GB/s", rate);
    CHECK(is(proto - direct, 20));
    CHECK(is(proto - tensor_time("path: proto, serialize: 2 GB/s", rate), 5));
    // A clone, and two messages more each way.
    const Time changes = tensor_time("change_every: 1", rate);
    CHECK(changes - direct > kMicrosecond * 5);
    CHECK(is(changes - tensor_time("change_every: 1", "  host: {cpu: {copy: {warm: 5 GB/s}}}\n"), 4));
}
TEST_CASE("more requests under way give hardly more small tensors", "[applications]") {
    const auto took = [](const char* depth) {
        return *in_child([&] {
            const RunResult result = simulate(
                tensor("tensors: 64", kTensorEvents, std::string("transfers: 640, size: 64 B, depth: ") + depth));
            return result.samples.back().end;
        });
    };
    const auto one = static_cast<double>(took("1").ps), many = static_cast<double>(took("32").ps);
    CHECK(many > 0.5 * one);
    CHECK(many < one);
}
TEST_CASE("a message that does not wait for the ACK of the last one is lost, and the run says so", "[applications]") {
    // Who has the tensors sleeps long, who asks does not.
    const std::string text = R"(
system:
  rnic: {profile: cx5_100g}
  hosts: {client: {}, server: {host: {verbs: {notify: events}, cpu: {wake: 20 us}}}}
  links: [{between: [client, server]}]
run:
  repetitions: 1
  traffic:
    - {from: client, to: server, application: tensor, transfers: 40, size: 64 B, tensor: {ACK}}
)";
    const auto with = [](std::string of, const std::string& ack) {
        return run_config(ScenarioFile(of.replace(of.find("ACK"), 3, ack)).load(), 0, 0, 0);
    };
    CHECK(in_child([&] {
              return std::ranges::none_of(simulate(with(text, "tensors: 16")).samples, &Sample::failed);
          }) == true);
    CHECK_THROWS_MATCHES(simulate(with(text, "ack: false, unsafe: true")), RunError,
                         MessageMatches(ContainsSubstring("lost wake-up")));
}
TEST_CASE("a tensor connection that dies ends all that is wanted over it", "[applications]") {
    CHECK(in_child([&] {
              const RunResult result = simulate(
                  tensor("", "  rnic.rc.retry_cnt: 0\n  link.loss: 5 %\n", "transfers: 40, size: 1 MiB, depth: 4"));
              return result.samples.back().failed();
          }) == true);
}
TEST_CASE("keys of tensors that cannot be, or do nothing, are refused", "[applications]") {
    const auto refused = [](const std::string& keys, const std::string& item = "transfers: 40") {
        return rejection(pair_text("application: tensor, " + item + ", tensor: {" + keys + "}"));
    };
    CHECK(refused("path: proto, serialize: 2 GB/s, change_every: 2") == "");
    CHECK_THAT(refused("ack: false"), ContainsSubstring("run.tensor.unsafe: true runs it"));
    CHECK_THAT(refused("unsafe: true"), ContainsSubstring("nothing is unsafe"));
    CHECK_THAT(refused("serialize: 2 GB/s"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("change_every: 3"), ContainsSubstring("has no effect"));  // 16 tensors
    CHECK(refused("change_every: 3, tensors: 13") == "");
    CHECK_THAT(refused("ack: false, unsafe: true", "transfers: 40, depth: 1"), ContainsSubstring("has no effect"));
    CHECK_THAT(refused("ack: false, unsafe: true, tensors: 1"), ContainsSubstring("has no effect"));
    CHECK(refused("ack: false, unsafe: true, tensors: 2") == "");
}
