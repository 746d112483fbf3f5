// SPDX-License-Identifier: Apache-2.0
// A flow through a bridge in place of one through a port that is full: table 5-1 and equation 5.1 of the thesis, by the
// scenarios that are shipped. And what the host's IIO adds to a message, or to a flow that fills it.
#include "testbench/records/run_result.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "testbench/tests/support/apart.h"
#include "testbench/tests/support/counter.h"
#include "tlm/pcie/pcie_direction.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace rnicsim;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::size_t kOverBridge = 0, kByRdma = 1;  // items

/// Until the last of an item's messages has come: as table 5-1 has it, of its slowest flow.
struct Flows {
    std::array<std::int64_t, 2> ps{};
    std::uint64_t pauses = 0, marks_told = 0;
};
Flows flows_of(const RunResult& result) {
    std::array<Time, 2> begin{kEndOfTime, kEndOfTime}, end{};
    for (const Sample& of : result.samples) {
        begin.at(of.item) = std::min(begin.at(of.item), of.start);
        end.at(of.item) = std::max(end.at(of.item), of.end);
    }
    Flows found;
    for (std::size_t item = 0; item < 2; ++item) found.ps.at(item) = (end.at(item) - begin.at(item)).ps;
    for (const auto& [name, value] : result.counters) {
        if (name.starts_with("s0.") && name.ends_with(".pauses_sent")) found.pauses += value;
        if (name.ends_with(".rc.cnps_sent")) found.marks_told += value;
    }
    return found;
}
/// All points of a scenario, in their order.
std::vector<Flows> points_of(const std::string& name, const std::vector<Override>& overrides = {}) {
    const Scenario scenario =
        load_scenario(std::string(RNICSIM_SOURCE_DIR "/scenarios/bridge/") + name + ".yaml", overrides, {});
    std::vector<Flows> all;
    for (std::size_t point = 0; point < scenario.points.size(); ++point) {
        const auto found = in_child([&] { return flows_of(simulate(run_config(scenario, point, 0, 0))); });
        REQUIRE(found);
        all.push_back(*found);
    }
    return all;
}
double ratio_of(std::int64_t of, std::int64_t to) { return static_cast<double>(of) / static_cast<double>(to); }

std::string text_of_one_message(const std::string& persistence) {
    return R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {near: {}, target: {host: )" +
           persistence + R"(}}
  links: [{between: [near, target]}]
  bridges: [{name: n0, between: [near, target]}]
run:
  repetitions: 1
  traffic:
    - {from: near, to: target, application: nts, size: 8 B, depth: 1, transfers: 9, think: 10 us}
)";
}
std::int64_t one_way(const std::string& persistence) {
    return in_child([&] {
               return simulate(run_config(ScenarioFile(text_of_one_message(persistence)).load(), 0, 0, 0))
                   .samples.back()
                   .took()
                   .ps;
           })
        .value_or(-1);
}

}  // namespace

TEST_CASE("a flow over a bridge takes beside an incast what it takes alone; one by RDMA in its place does not",
          "[applications]") {
    // One flow by RDMA, and two; the bridge's behind them, and beside them.
    const std::vector<Flows> of = points_of("offload");
    REQUIRE(of.size() == 4);
    const Flows &one = of[0], &two = of[1], &each = of[2], &all = of[3];
    // Alone each has 56 Gb/s.
    CHECK(ratio_of(one.ps[kOverBridge], 2000 * 4088 * 8 * 1000LL / 56) < 1.01);
    CHECK(ratio_of(one.ps[kByRdma], 2000 * 4096 * 8 * 1000LL / 56) < 1.04);
    CHECK(ratio_of(two.ps[kByRdma], one.ps[kByRdma]) > 1.12);  // 112 Gb/s in 100
    CHECK(two.pauses > 0);
    CHECK(two.marks_told > 0);
    for (const Flows* const beside : {&each, &all})
        CHECK(ratio_of(beside->ps[kOverBridge], one.ps[kOverBridge]) < 1.02);
    CHECK(ratio_of(each.ps[kByRdma], one.ps[kByRdma]) < 1.02);
    CHECK(each.pauses == 0);
    CHECK(each.marks_told == 0);
    CHECK(ratio_of(all.ps[kByRdma], two.ps[kByRdma]) < 1.02);
}
TEST_CASE("a bridge helps between the rate of a port and that of the host's PCIe", "[applications]") {
    // By pace, 40, 56, 70 Gb/s; by IIO: each port its own, one for both; by flows: one and two by RDMA, then the
    // bridge's; one of each at once.
    const std::vector<Flows> of = points_of("split");
    REQUIRE(of.size() == 18);
    const auto at = [&](std::size_t pace, std::size_t iio, std::size_t flows) -> const Flows& {
        return of[(pace * 2 + iio) * 3 + flows];
    };
    enum Pace : std::uint8_t { below, between, above };
    enum Iio : std::uint8_t { own, shared };
    const auto incast_costs = [&](Pace pace) {
        return ratio_of(at(pace, own, 1).ps[kByRdma], at(pace, own, 0).ps[kByRdma]);
    };
    const auto split_costs = [&](Pace pace, Iio iio, std::size_t item) {
        return ratio_of(at(pace, iio, 2).ps.at(item), at(pace, iio, 0).ps.at(item));
    };
    // Two flows to one port: it has room for 80 Gb/s.
    CHECK(incast_costs(below) < 1.02);
    CHECK(incast_costs(between) > 1.12);
    CHECK(incast_costs(above) > 1.35);
    // One of them over the bridge: PCIe has room for 112 Gb/s, and as much for each port where it has an IIO.
    for (const std::size_t item : {kOverBridge, kByRdma}) {
        for (const Pace pace : {below, between, above}) CHECK(split_costs(pace, own, item) < 1.001);
        CHECK(split_costs(below, shared, item) < 1.001);
        CHECK(split_costs(between, shared, item) < 1.02);
    }
    // 140 Gb/s in 128: who has to wait for credits gets what the other one leaves.
    CHECK(split_costs(above, shared, kOverBridge) > 1.15);
    CHECK(split_costs(above, shared, kOverBridge) < 1.4);
    CHECK(split_costs(above, shared, kByRdma) < 1.02);
}
TEST_CASE("a card hears that an IIO which it shares with a bridge is full", "[applications]") {
    // 64 Gb/s for both ports, or for each.
    const auto overruns = [](const std::string& shared) {
        const std::vector<Override> all{{"run.sweep", "null"},
                                        {"run.transfers", "1000"},
                                        {"system.hosts.far.count", "1"},
                                        {"system.hosts.far.host.verbs.post", "355.2 ns"},
                                        {"run.traffic.bridge.nts.tx", "197 ns"},
                                        {"system.rnic.rc.timeout", "8"},
                                        {"system.hosts.target.host.persistence.iio.bandwidth", "8 GB/s"},
                                        {"system.hosts.target.host.persistence.iio.shared", shared}};
        return in_child([&] {
                   const Scenario scenario = load_scenario(RNICSIM_SOURCE_DIR "/scenarios/bridge/split.yaml", all, {});
                   return static_cast<std::int64_t>(
                       counter(simulate(run_config(scenario, 0, 0, 0)), "target.rc.rx_overruns"));
               })
            .value_or(-1);
    };
    CHECK(overruns("true") > 0);
    CHECK(overruns("false") == 0);
}
TEST_CASE("a message of 8 B takes its instructions, the bridge, the IIO and who polls, to the picosecond",
          "[applications]") {
    const Clock clock{Time{400}};  // of both hosts
    const auto edge = [&clock](Time at) { return clock.time(clock.edge(at)); };
    const Time tx = kNanosecond * 41, line{4'800}, evict = kNanosecond * 20, fence = kNanosecond * 58,
               word = kNanosecond, down = kNanosecond * 40, latency_of_link = kNanosecond * 80,
               translate = kNanosecond * 16, poll = kNanosecond * 100, rx = kNanosecond * 120;
    const auto form = [&](Time iio) {
        // Payload, fence, header, and the fence that drives it out.
        const Time leaves = edge(edge(tx) + line + evict + fence + word + evict);
        const Time is_sent = edge(edge(leaves + down) + PcieDirection(3, 16).length(24 + 8));
        return edge(is_sent + latency_of_link + translate * 2 + iio) + poll + rx;
    };
    CHECK(form(kNanosecond * 40) == Time{559'600});  // 315.03 + 41 + 4.8 + 78 + 120, and edges
    CHECK(one_way("{persistence: {iio: {latency: 0 ns}}}") == form({}).ps);
    CHECK(one_way("{persistence: {}}") == form(kNanosecond * 40).ps);
    CHECK(one_way("{persistence: {iio: {latency: 41.3 ns}}}") == form(Time{41'300}).ps);
}
TEST_CASE("an IIO is shared only where there is a second port", "[applications]") {
    CHECK_THAT(rejection(R"(
system:
  rnic: {profile: cx5_100g}
  link: {rate: 100 Gbps}
  hosts: {near: {}, target: {host: {persistence: {iio: {shared: true}}}}}
  links: [{between: [near, target]}]
run:
  traffic: [{from: near, to: target}]
)"),
               ContainsSubstring("the card's root port is the host's only one"));
}
