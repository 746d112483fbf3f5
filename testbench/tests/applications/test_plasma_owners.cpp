// SPDX-License-Identifier: Apache-2.0
// A user of Plasma that fetches the objects of several owners: each owner by itself, one object at a time in turn, or
// in a drawn order.
#include "testbench/records/run_result.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

using namespace rnicsim;

namespace {

constexpr unsigned kOwners = 3, kObjects = 8;  // of each

std::string text_of(const std::string& keys, const std::string& more = {}) {
    return R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps, delay: 390.4 ns)" +
           more + R"(}
  hosts: {user: {}, owner: {count: 3}}
  switches: {s0: {mtu: 4200 B}}
  links: [{between: [user, s0]}, {between: [owner, s0]}]
run:
  repetitions: 1
  traffic: [{from: user, to: owner, application: plasma, transfers: 8, size: 4 KiB, plasma: {)" +
           keys + "}}]\n";
}

/// Whose objects they are, in the order of their beginnings; `overlap`: two were under way at once.
struct Fetched {
    std::array<unsigned, kOwners * kObjects> owners{};
    std::size_t count = 0, failed = 0;
    bool overlap = false;
};
Fetched fetched(const std::string& keys, std::uint64_t seed = 1, const std::string& more = {}) {
    const std::optional<Fetched> found = in_child([&] {
        RunConfig config = run_config(ScenarioFile(text_of(keys, more)).load(), 0, 0, 0);
        config.seed = seed;
        const RunResult result = simulate(config);
        std::vector<Sample> samples(result.samples.begin(), result.samples.end());
        std::ranges::sort(samples, {}, &Sample::start);
        Fetched all;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            all.owners.at(all.count++) = samples[i].responder;
            all.failed += samples[i].failed() ? 1 : 0;
            if (i > 0 && samples[i].start < samples[i - 1].end) all.overlap = true;
        }
        return all;
    });
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("in turn a user fetches one object at a time, of one owner behind the other", "[applications]") {
    const Fetched all = fetched("order: turn");
    CHECK(all.count == kOwners * kObjects);
    CHECK_FALSE(all.overlap);
    for (std::size_t i = 0; i + kOwners < all.count; ++i) {
        CHECK(all.owners.at(i) == all.owners.at(i + kOwners));
        CHECK(all.owners.at(i) != all.owners.at(i + 1));
    }
}
TEST_CASE("in a drawn order all objects come once, one at a time, as the run's seed has it", "[applications]") {
    const Fetched all = fetched("order: drawn"), again = fetched("order: drawn"), other = fetched("order: drawn", 2);
    CHECK_FALSE(all.overlap);
    for (unsigned owner = 1; owner <= kOwners; ++owner) CHECK(std::ranges::count(all.owners, owner) == kObjects);
    CHECK(all.owners == again.owners);
    CHECK(all.owners != other.owners);
    CHECK(all.owners != fetched("order: turn").owners);
}
TEST_CASE("without an order each owner's objects are fetched by themselves", "[applications]") {
    CHECK(fetched("protocol: hybrid").overlap);
}
TEST_CASE("behind an owner's dead link a user in line goes on, and all its gets end", "[applications]") {
    const Fetched all = fetched("order: turn", 1, ", down: {probability: 99.99 %, period: 100 s, duration: 99.9999 s}");
    CHECK(all.count == kOwners * kObjects);
    CHECK(all.failed > 0);
}
TEST_CASE("connections in line that die together all end, whatever they do then", "[applications]") {
    for (const char* const protocol : {"socket", "sendrecv", "read"}) {
        for (const char* const order : {"turn", "drawn"}) {
            for (const int seed : {1, 2, 3}) {
                CAPTURE(protocol, order, seed);
                CHECK(in_child([&] {
                          RunConfig config = run_config(ScenarioFile(std::string(R"(
system:
  rnic: {profile: cx5_100g}
  host: {cpu: {profile: tianhe_2022}}
  link: {rate: 100 Gbps, delay: 390.4 ns}
  hosts: {user: {}, owner: {}}
  links: [{between: [user, owner], down: {probability: 99.99 %, period: 100 s, duration: 99.999 s}}]
run:
  size: 64 KiB
  transfers: 40
  repetitions: 1
  traffic:
    - {name: get, from: user, to: owner, application: plasma, connections: 3, plasma: {protocol: )") +
                                                                     protocol + ", order: " + order + "}}\n")
                                                            .load(),
                                                        0, 0, 0);
                          config.seed = static_cast<std::uint64_t>(seed);
                          return simulate(config).samples.size() == 120;
                      }) == true);
            }
        }
    }
}
TEST_CASE("an order needs two connections of a user", "[applications]") {
    std::string text = text_of("order: turn");
    text.replace(text.find("count: 3"), 8, "count: 1");
    CHECK_THAT(rejection(text), Catch::Matchers::ContainsSubstring("no user has two connections"));
}
