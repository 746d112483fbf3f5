// SPDX-License-Identifier: Apache-2.0
// Plain hosts, their frames, and switches with queues: what they become, and what is refused with which words.
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/plain/end_config.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/scenario/scenario_file.h"
#include "tlm/ethernet/pause_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace rnicsim {
namespace {

/// A server with a DRP RNIC and two clients, and three plain hosts with frames of their own.
const std::string kMixed =
    "system:\n"
    "  hosts:\n"
    "    noise: {count: 2, rnic: {personality: plain, gmac: {mtu: 9000 B}}}\n"
    "    server: {}\n"
    "    sink: {rnic: {personality: plain, gmac: {mtu: 4096 B}}}\n"
    "    client: {count: 2}\n"
    "  switches: {s0: {priorities: 4, mtu: 9000 B, buffer: 1 MiB}}\n"
    "  links:\n"
    "    - {between: [server, s0]}\n"
    "    - {between: [client, s0]}\n"
    "    - {between: [noise, s0], rate: 10 Gbps}\n"
    "    - {between: [sink, s0], rate: 10 Gbps, ecn_marking: 1 %}\n"
    "run:\n"
    "  traffic:\n"
    "    - {from: client, to: server, size: 4 KiB}\n"
    "    - {name: noise, from: noise, to: sink, size: 1000 B, pace: 2.5 Gbps, class: 5, ecn: true}\n";

std::string refused_of_mixed(const std::string& text, const std::string& by,
                             const std::vector<Override>& overrides = {}) {
    std::string all = kMixed;
    const std::size_t at = all.find(text);
    REQUIRE(at != std::string::npos);
    return rejection(all.replace(at, text.size(), by), overrides);
}

TEST_CASE("hosts are numbered as they are written, whatever their personality", "[scenario]") {
    const Scenario s = ScenarioFile(kMixed).load();
    const RunConfig& config = s.points.at(0).configs.front();
    REQUIRE(config.names.size() == 6);
    CHECK(config.names[0] == "noise0");
    CHECK(config.names[2] == "server");
    CHECK(config.names[3] == "sink");
    CHECK(config.names[5] == "client1");
    CHECK(drp_hosts(config) == std::vector{2U, 4U, 5U});
    REQUIRE(plain_hosts(config) == std::vector{0U, 1U, 3U});
    CHECK(plain_of(config, 0).mtu == 9'000);
    CHECK(plain_of(config, 0).reaction == longest_pause_reaction(MacTiming::of_rate(10'000'000'000)));
    const Scenario pauses = ScenarioFile(kMixed).load(
        {{"system.hosts.sink.rnic.gmac.pause_reaction", "80 ns"}, {"system.switches.s0.pfc.classes", "[6, 7]"}});
    CHECK(plain_of(pauses.points.at(0).configs.front(), 3).reaction == kNanosecond * 80);
    CHECK(config.traffic.at(0).workload == Workload::transfers);
    const TrafficConfig& noise = config.traffic.at(1);
    CHECK(noise.workload == Workload::frames);
    CHECK(noise.from == std::vector{0U, 1U});
    CHECK(noise.pace == 2'500'000'000);
    CHECK(noise.traffic_class == 5);
    CHECK(noise.ecn_capable);
    CHECK(s.variants.names.size() == 2);
    const Scenario again = ScenarioFile(s.resolved).load();
    CHECK(again.resolved == s.resolved);
}

TEST_CASE("a network of plain hosts has no method", "[scenario]") {
    const std::string text =
        "system:\n  rnic: {personality: plain}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\n"
        "run:\n  traffic: [{from: a, to: b, size: 100 B}]\n";
    CHECK(ScenarioFile(text).load().variants.names == std::vector<std::string>{"none"});
    CHECK(rejection(text + "  methods: [dynamic]\n") ==
          "FILE:7:12: run.methods: has no effect: nothing in this scenario reads it");
}

TEST_CASE("what plain hosts may not be, each with its place", "[scenario]") {
    CHECK(refused_of_mixed("from: noise, to: sink", "from: noise, to: server") ==
          "FILE:16:7: run.traffic.noise: 'noise0' is plain and 'server' is drp, expected hosts of one personality");
    CHECK(refused_of_mixed("from: client, to: server", "from: client, to: sink") ==
          "FILE:15:7: run.traffic.0: 'client0' is drp and 'sink' is plain, expected hosts of one personality");
    CHECK(refused_of_mixed("size: 1000 B", "size: 45 B")
              .find("found '45 B', expected 46 B to the MTU of its plain hosts, 4096") != std::string::npos);
    CHECK(refused_of_mixed("size: 1000 B", "size: 4097 B")
              .find("found '4097 B', expected 46 B to the MTU of its plain hosts, 4096 B") != std::string::npos);
    CHECK(refused_of_mixed("pace: 2.5 Gbps", "in_flight: 2")
              .find("run.traffic.noise.in_flight: has no effect: plain hosts send frames") != std::string::npos);
    CHECK(refused_of_mixed("pace: 2.5 Gbps", "operation: read")
              .find("run.traffic.noise.operation: has no effect: plain hosts send frames") != std::string::npos);
    CHECK(refused_of_mixed("size: 4 KiB", "size: 4 KiB, pace: 1 Mbps, think: 1 us")
              .find("run.traffic.0.pace: found '1 Mbps', expected 0 kbps beside `think`") != std::string::npos);
    CHECK(refused_of_mixed("size: 4 KiB", "size: 16 MiB, pace: 1 kbps")
              .find("run.traffic.0.pace: found '1 kbps', expected at least ") != std::string::npos);
    CHECK(refused_of_mixed("size: 4 KiB", "size: 4 KiB, think: 100 s, transfers: 10001")
              .find("run.traffic.0.think: found '100 s', expected at most ") != std::string::npos);
    CHECK(refused_of_mixed("size: 4 KiB", "size: 4 KiB, class: 1").find("run.traffic.0.class: has no effect") !=
          std::string::npos);
    CHECK(refused_of_mixed("size: 4 KiB", "size: 4 KiB, ecn: true").find("run.traffic.0.ecn: has no effect") !=
          std::string::npos);
    CHECK(refused_of_mixed("pace: 2.5 Gbps", "pace: 2.5 Gbps, think: 1 us")
              .find("run.traffic.noise.pace: found '2500 Mbps', expected 0 kbps beside `think`") != std::string::npos);
    CHECK(refused_of_mixed("pace: 2.5 Gbps", "pace: 2.5 Gb").find("expected a rate with a unit (kbps, Mbps, Gbps)") !=
          std::string::npos);
    CHECK(refused_of_mixed("personality: plain, gmac: {mtu: 9000 B}", "personality: plain, drp: {window: 4}") ==
          "FILE:3:64: system.hosts.noise.rnic.drp.window: has no effect, 'noise' is plain: expected "
          "rnic.personality, rnic.profile, rnic.gmac.mtu or rnic.gmac.pause_reaction");
    CHECK(refused_of_mixed("server: {}", "server: {rnic: {gmac: {pause_reaction: 8 ns}}}")
              .find("has no effect, 'server' has a DRP RNIC: expected it of hosts with another personality") !=
          std::string::npos);
    CHECK(refused_of_mixed("server: {}", "server: {rnic: {gmac: {mtu: 9000 B}}}")
              .find("found '9000 B', expected at most 1500 B: a DRP RNIC has no more") != std::string::npos);
    CHECK(refused_of_mixed("personality: plain, gmac: {mtu: 4096 B", "personality: tcp, gmac: {mtu: 4096 B")
              .find("found 'tcp', expected drp, plain or rc") != std::string::npos);
}

TEST_CASE("queues, marks and pauses of a switch", "[scenario]") {
    const auto with = [&](const std::string& keys) {
        std::string all = kMixed;
        const std::string old = "{priorities: 4, mtu: 9000 B, buffer: 1 MiB}";
        all.replace(all.find(old), old.size(), keys);
        return all;
    };
    const Scenario s =
        ScenarioFile(with("{mode: cut_through, priorities: 8, scheduler: drr, weights: [1, 1, 2, 1, 1, 1, "
                          "1, 9], ecn: {at: enqueue, kmin: 10 KiB, kmax: 20 KiB, pmax: 1 %}, pfc: "
                          "{classes: [3, 5], xoff: 20 KiB, xon_below: 4 KiB, quanta: 200}, buffer: 1 MiB}"))
            .load();
    const SwitchConfig& of = s.points.at(0).configs.front().switches.at(0);
    CHECK(of.mode == SwitchMode::cut_through);
    CHECK(of.scheduler == Scheduler::drr);
    CHECK(of.weights.at(7) == 9);
    CHECK(of.ecn.at == EcnConfig::At::enqueue);
    CHECK(of.ecn.kmax == 20'480);
    CHECK(of.ecn.pmax == 0.01);
    CHECK(of.pfc.classes == 0b10'1000);
    CHECK(of.pfc.quanta == 200);
    CHECK(ScenarioFile(s.resolved).load().resolved == s.resolved);
    const auto says = [&](const std::string& keys, const std::string& what) {
        INFO(rejection(with(keys)));
        return rejection(with(keys)).find(what) != std::string::npos;
    };
    CHECK(
        says("{scheduler: drr, weights: [1, 2]}", "found '[1, 2]', expected a weight for each of 1 priorities, or []"));
    CHECK(says("{weights: [1]}", "found '[1]', expected [] with scheduler: strict, which has none"));
    CHECK(says("{weights: [0]}", "expected whole numbers from 1 to 256"));
    CHECK(says("{priorities: 8, pfc: {classes: [3, 3]}}", "found '[3, 3]', expected each class once"));
    CHECK(says("{priorities: 8, pfc: {classes: [8]}}", "expected whole numbers from 0 to 7"));
    CHECK(says("{priorities: 8, pfc: {classes: [0]}}",
               "found '[0]', expected classes from 1 to 7: 'server' has a DRP RNIC, which sends in class 0"));
    CHECK(
        says("{priorities: 4, pfc: {classes: [3]}}", "3 is one and 2 is not, and with 4 priorities both use queue 1"));
    CHECK(says("{priorities: 8, pfc: {classes: [3], xoff: 3036 B}}", "expected less than pfc.xoff: 3036 B"));
    CHECK(says("{priorities: 8, pfc: {classes: [3], headroom: 4000 B}}",
               "before its sender stops; or pfc.unchecked: true"));
    CHECK(says("{priorities: 8, pfc: {classes: [3]}, buffer: 16 KiB}",
               "the reserves, a headroom for each port and lossless class"));
    // At 10 Gb/s (1,618 + 3 gaps of bytes, and 60 quanta) twice.
    CHECK(says("{priorities: 8, pfc: {classes: [3], quanta: 100}}",
               "found '100', expected at least 171: on link 'noise0-s0' a pause would end before it is said again"));
    CHECK(says("{priorities: 8, table: learning, pfc: {classes: [3]}}", "found 'learning', expected static beside"));
    CHECK(rejection(with("{priorities: 8, table: learning, pfc: {classes: [3], unchecked: true}}")).empty());
    CHECK(refused_of_mixed("ecn_marking: 1 %}", "ecn_marking: 1 %, reordering: 1 %}",
                           {{"system.switch.priorities", "8"},
                            {"system.switches.s0.priorities", "8"},
                            {"system.switches.s0.pfc.classes", "[3]"}})
              .find("found '1 %', expected 0 %: switch 's0' has lossless classes") != std::string::npos);
    const std::string line =
        "system:\n  rnic: {personality: plain}\n  hosts: {a: {}, b: {}}\n  switch: {priorities: 8}\n"
        "  switches: {s0: {}, s1: {pfc: {classes: [3]}}}\n"
        "  links: [{between: [a, s0]}, {between: [b, s1]}, {between: [s0, s1]}]\n"
        "run: {size: 100 B, traffic: [{from: a, to: b}]}\n";
    CHECK(rejection(line) ==
          "FILE:5:14: system.switch.pfc.classes: found '[]' at 's0', expected [3] as at 's1', to which it sends, or it "
          "does not pause; or pfc.unchecked: true");
    CHECK(says("{ecn: {at: enqueue, kmin: 20 KiB, kmax: 10 KiB}}",
               "expected both 0 B (by the rate), or neither and kmin at most kmax"));
    CHECK(says("{ecn: {at: enqueue, kmax: 10 KiB}}", "expected both 0 B (by the rate), or neither"));
    CHECK(says("{priorities: 8, reserve: 30 KiB}", "its 48 queues together have no more than the buffer"));
    CHECK(rejection(with("{priorities: 8, pfc: {classes: [3], headroom: 4000 B, unchecked: true}}")).empty());
    CHECK(rejection(with("{table: learning}")).empty());
    CHECK(refused_of_mixed("switches: {s0: {priorities", "switches: {s1: {table: learning}, s0: {priorities")
              .find("loop") == std::string::npos);
    const std::string ring =
        "system:\n  hosts: {a: {}, b: {}}\n  switches: {s0: {}, s1: {}, s2: {table: learning}}\n  links:\n"
        "    [{between: [a, s0]}, {between: [b, s1]}, {between: [s0, s1]}, {between: [s1, s2]}, {between: [s2, s0]}]\n"
        "run: {traffic: [{from: a, to: b}]}\n";
    CHECK(rejection(ring) ==
          "FILE:3:42: system.switches.s2.table: found 'learning', expected static: link 's2-s0' makes a loop, in which "
          "frames to unknown hosts would go round for ever");
}

}  // namespace
}  // namespace rnicsim
