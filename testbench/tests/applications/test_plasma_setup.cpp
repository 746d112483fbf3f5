// SPDX-License-Identifier: Apache-2.0
// Plasma's hosts set up their RDMA connections while the run goes on: how long, how often, and what becomes of others
// if one dies. Each run compares with the formula how often each two hosts have.
#include "testbench/tests/applications/recorded.h"
#include "testbench/tests/applications/ring_of.h"

#include "testbench/applications/plasma/messages.h"
#include "testbench/applications/plasma/set_up.h"
#include "testbench/records/run_result.h"
#include "testbench/tests/applications/all_came.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

using namespace rnicsim;
using applications::Event;
using Catch::Matchers::ContainsSubstring;
using What = applications::Event::What;

namespace {

constexpr std::int64_t kOneSetup = 300'000'000'000;  // 300 ms in picoseconds

RunConfig pair_with(const std::string& keys, const std::string& item = {}, const std::string& system = {}) {
    return pair_config("application: plasma, size: 50000 B, transfers: 4, plasma: {" + keys + "}" + item, system);
}
/// Of the gets of a connection, picoseconds.
std::array<std::int64_t, 4> times(const std::string& keys, const std::string& item = {}) {
    return in_child([&] {
               const RunResult result = simulate(pair_with(keys, item));
               REQUIRE(all_came(result, 4));
               std::array<std::int64_t, 4> all{};
               std::ranges::transform(result.samples, all.begin(), [](const Sample& of) { return of.took().ps; });
               return all;
           })
        .value();
}
/// How often a host of `hosts`, each of which fetches from all others, has set up.
std::int64_t setups(unsigned hosts, const std::string& keys, const std::string& item = {},
                    const std::string& system = {}) {
    return in_child([&] {
               const std::string own = "application: plasma, size: 4 KiB, transfers: 3, pairs: all, plasma: {" + keys;
               const RunResult result = simulate(ring_config(hosts, own + "}" + item, system));
               REQUIRE(std::ranges::none_of(result.samples, &Sample::failed));
               const auto worked = static_cast<std::int64_t>(counter(result, "node.host.worked_work_ps"));
               REQUIRE(worked % kOneSetup == 0);
               return worked / kOneSetup;
           })
        .value();
}

}  // namespace

TEST_CASE("the first object waits for the set-up, at both hosts at once; later ones do not", "[applications]") {
    for (const char* const protocol : {"sendrecv", "read"}) {
        CAPTURE(protocol);
        const std::string keys = std::string("protocol: ") + protocol;
        const auto without = times(keys), with = times(keys + ", setup: 300 ms"),
                   longer = times(keys + ", setup: 301 ms");
        CHECK(with[0] - without[0] > kOneSetup);
        CHECK(with[0] - without[0] < kOneSetup + 100'000'000);  // HELLO and its answer
        CHECK(longer[0] - with[0] == 1'000'000'000);
        for (std::size_t later = 1; later < 4; ++later) CHECK(with.at(later) == without.at(later));
    }
}
TEST_CASE("a look-up comes before HELLO, and costs what it costs", "[applications]") {
    const std::string keys = "protocol: read, lookup: true";
    const auto without = times(keys), with = times(keys + ", setup: 300 ms");
    CHECK(with[0] - without[0] > kOneSetup);
    CHECK(with[1] == without[1]);
}
TEST_CASE("N hosts that fetch from each other set up N(N-1)/2 times, one half at each host", "[applications]") {
    for (const unsigned hosts : {2U, 3U, 5U}) {
        CAPTURE(hosts);
        const std::int64_t pairs = hosts * (hosts - 1) / 2;
        CHECK(setups(hosts, "setup: 300 ms") == 2 * pairs);
        CHECK(setups(hosts, "setup: 300 ms, reuse: false") == 4 * pairs);
    }
    CHECK(setups(3, "setup: 300 ms", ", connections: 3") == 6);
    CHECK(setups(3, "setup: 300 ms, reuse: false", ", connections: 3") == 36);
}
TEST_CASE("threads of a host that come at once set up once", "[applications]") {
    const std::string threads = "  host: {cpu: {profile: xeon_2018}, verbs: {threads: 3}}\n";
    CHECK(setups(3, "setup: 300 ms", ", connections: 3", threads) == 6);
    CHECK(setups(2, "setup: 300 ms, order: turn", ", connections: 5", threads) == 2);
}
TEST_CASE("connections that die while they are set up leave nobody waiting", "[applications]") {
    // The link is down from 1 ms on: before, in and behind a set-up, at several threads.
    for (const char* const keys : {"setup: 400 us", "setup: 900 us, order: turn", "setup: 300 ms", "setup: 60 s",
                                   "setup: 900 us, reuse: false", "setup: 20 us, protocol: read"}) {
        for (const int seed : {1, 2, 3}) {
            CAPTURE(keys, seed);
            CHECK(in_child([&] {
                      const std::string threads = "  host: {cpu: {profile: xeon_2018}, verbs: {threads: 2}}\n";
                      RunConfig config =
                          ring_config(2,
                                      "application: plasma, size: 64 KiB, transfers: 20, connections: 3, plasma: {" +
                                          std::string(keys) + "}",
                                      threads, ", down: {probability: 99.99 %, period: 100 s, duration: 99.999 s}");
                      config.seed = static_cast<std::uint64_t>(seed);
                      const RunResult result = simulate(config);
                      return result.samples.size() == 120 && std::ranges::any_of(result.samples, &Sample::failed);
                  }) == true);
        }
    }
}
TEST_CASE("what a host has begun to set up it has, whatever becomes of the connection", "[applications]") {
    namespace plasma = applications::plasma;
    const RunConfig config = pair_with("setup: 300 ms", ", connections: 2");
    for (const unsigned side : {0U, 1U}) {
        CAPTURE(side);
        Recorded end(config.traffic.at(0), side);
        if (side == 0) end.on({.what = What::asked, .tag = 0, .bytes = 50000});
        plasma::write({.operation = 0, .bytes = 50000, .about = plasma::Message::About::hosts},
                      end.memory({plasma::kStreamIn, 0}, plasma::kMessage));
        end.on({.what = What::bytes, .bytes = plasma::kMessage});
        end.on({.what = What::read, .bytes = plasma::kMessage});
        if (side == 1) end.on({.what = What::sent});
        CHECK(end.take_sent().size() == plasma::kMessage);  // HELLO
        REQUIRE(end.setups == 1);
        end.on({.what = What::closed});
        CHECK(end.over.size() == (side == 0 ? 1 : 0));
        CHECK(end.wakes == 0);
        REQUIRE(end.commands.size() == 1);
        end.on({.what = What::done, .tag = end.commands.front()});
        CHECK(end.wakes == 1);
        CHECK(end.memory({plasma::kHosts, 0}, 1).front() == 2);  // done
        CHECK(end.take_sent().empty());
    }
}
TEST_CASE("sockets need no set-up, whatever other variants have", "[applications]") {
    const auto took = [](const std::string& setup) {
        const std::string text =
            pair_text("application: plasma, transfers: 3, size: 4 KiB, plasma: {setup: " + setup + "}") +
            "  sweep: [{name: by, keys: [run.traffic.all.plasma.protocol], values: [socket, read]}]\n";
        return in_child([&] { return simulate(run_config(ScenarioFile(text).load(), 0, 0, 0)).samples.back().end.ps; });
    };
    CHECK(took("300 ms") == took("0 ns"));
}
TEST_CASE("keys of a set-up are read strictly", "[applications]") {
    const auto refused = [](const std::string& keys, const std::string& item, const std::string& why) {
        CHECK_THAT(rejection(pair_text("application: plasma, plasma: {" + keys + "}" + item)), ContainsSubstring(why));
    };
    refused("protocol: socket, setup: 300 ms", "", "has no effect: objects go by TCP, which needs none");
    refused("reuse: false", ", connections: 2", "has no effect: hosts are connected before the run");
    refused("setup: 1 ms, reuse: false", "", "has no effect: each two hosts have one connection");
    refused("setup: 101 s", "", "expected");
    CHECK_NOTHROW(pair_with("setup: 300 ms, reuse: false", ", connections: 2"));
    CHECK_NOTHROW(ring_config(2, "application: plasma, plasma: {setup: 300 ms, reuse: false}"));
    CHECK_THROWS_WITH(ring_config(3, "application: plasma, plasma: {setup: 300 ms, reuse: false}"),
                      ContainsSubstring("each two hosts have one connection"));
    const std::string two =
        "application: plasma, connections: 2, plasma: {setup: 1 ms%}}\n"
        "    - {name: back, from: server, to: client, application: plasma, connections: 2, plasma: {setup: 1 ms%}";
    const auto with = [&](const std::string& more) {
        std::string text = two;
        for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%')) text.replace(at, 1, more);
        return pair_text(text);
    };
    CHECK_THAT(rejection(with("")),
               ContainsSubstring("run.plasma.reuse: found 'true', expected false, or one item at a host"));
    CHECK_NOTHROW(ScenarioFile(with(", reuse: false")).load());
}
