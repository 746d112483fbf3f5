// SPDX-License-Identifier: Apache-2.0
// Echo: does each way to have data in registered memory cost what it has to, and nothing else?
#include "testbench/tests/applications/pair_of.h"

#include "model/host/cpu/charge.h"

#include "testbench/records/run_result.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <optional>
#include <string>

using namespace rnicsim;

namespace {

struct Seen {
    Time first;  ///< the first operation's
    bool complete = false;
    std::uint64_t registration = 0, deregistration = 0, all = 0, kinds = 0;  ///< worked by the client, ps
};

Seen echo(const std::string& item, const std::string& cpu = {}, const std::string& link = {}) {
    const std::optional<Seen> seen = in_child([&] {
        const RunResult result = simulate(pair_config("application: echo, transfers: 20, size: 10 KiB, " + item,
                                                      (cpu.empty() ? "" : "  host: {cpu: {" + cpu + "}}\n") + link));
        Seen of;
        of.first = result.samples[0].took();
        of.complete = std::ranges::none_of(result.samples, &Sample::failed);
        of.registration = counter(result, "client.host.worked_registration_ps");
        of.deregistration = counter(result, "client.host.worked_deregistration_ps");
        of.all = counter(result, "client.host.worked_ps");
        for (const std::string_view kind : kChargeNames)
            of.kinds += counter(result, "client.host.worked_" + std::string(kind) + "_ps");
        return of;
    });
    REQUIRE(seen);
    return *seen;
}

}  // namespace

TEST_CASE("registering costs both ends base and pages, to the cycle, and giving up the client's", "[applications]") {
    // 10 KiB from the beginning of a page on: three pages of 4 KiB.
    const std::string base = "registration.base: 10 us, registration.page: 100 ns, deregistration.base: 10 us";
    const Seen before = echo("depth: 1, echo: {memory: each}", base);
    const Seen slower = echo("depth: 1, echo: {memory: each}", base + ", deregistration.page: 40 ns");
    CHECK(before.complete);
    CHECK(before.registration == 20 * 10'300'000ULL);
    CHECK(before.deregistration == 20 * 10'000'000ULL);
    CHECK(slower.deregistration == 20 * 10'120'000ULL);
    CHECK(slower.first - before.first == Time{});  // the answer comes later than that
    const Seen pages = echo("depth: 1, echo: {memory: each}",
                            "registration.base: 10 us, registration.page: 140 ns, deregistration.base: 10 us");
    CHECK(pages.first - before.first == kNanosecond * (2 * 3 * 40));
    CHECK(before.all == before.kinds);
}
TEST_CASE("memory that is registered each time is slower than copying, and that than a pool", "[applications]") {
    const std::string cpu = "profile: xeon_2018";
    const Seen each = echo("depth: 1, echo: {memory: each}", cpu);
    const Seen copy = echo("depth: 1, echo: {memory: copy}", cpu);
    const Seen pool = echo("depth: 1, echo: {memory: pool}", cpu);
    CHECK(pool.first < copy.first);
    CHECK(copy.first < each.first);
}
TEST_CASE("under loss each byte comes, whatever the memory", "[applications]") {
    const std::string memory = GENERATE("each", "copy", "pool");
    const Seen lossy = echo("depth: 4, connections: 3, echo: {memory: " + memory + "}", {}, "  link.loss: 1 %\n");
    CHECK(lossy.complete);
}
TEST_CASE("threads and interrupts do not change what is counted", "[applications]") {
    const Seen several = echo("depth: 4, connections: 3, echo: {memory: each}", "cores: 2, wake: 1 us",
                              "  host.verbs: {threads: 2, notify: events}\n");
    CHECK(several.complete);
    CHECK(several.all == several.kinds);
}
TEST_CASE("operations of a connection that dies in the middle of a message fail", "[applications]") {
    const RunResult result = simulate(pair_config("application: echo, transfers: 200, size: 4 KiB, depth: 1",
                                                  "  rnic.rc.retry_cnt: 0\n  link.loss: 3 %\n"));
    CHECK(result.samples[199].failed());
}
TEST_CASE("who thinks asks later", "[applications]") {
    const auto last = [](const std::string& think) {
        return in_child([&] {
                   return simulate(pair_config("application: echo, transfers: 20, depth: 1, think: " + think))
                       .samples[19]
                       .start;
               })
            .value();
    };
    CHECK(last("100 us") > last("0 ns") + kMicrosecond * 1000);
}
