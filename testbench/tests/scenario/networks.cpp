// SPDX-License-Identifier: Apache-2.0
// Networks as scenarios: what they become, and what is refused with which words.
#include "model/rnic/drp/end/end_config.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// A star of four clients; `more`: further lines at its end.
std::string star(const std::string& more = "") {
    return "system:\n"
           "  host: {registration: {failure: 10 %}}\n"
           "  hosts:\n"
           "    server: {host: {registration: {failure: 20 %}}}\n"
           "    client: {count: 4, rnic: {drp: {window: 4}}}\n"
           "    client2: {rnic: {drp: {window: 2}}}\n"
           "  switches: {s0: {buffer: 64 KiB}}\n"
           "  links:\n"
           "    - {between: [server, s0], delay: 80 ns}\n"
           "    - {between: [client, s0], loss: 1 %}\n"
           "    - {of: client3-s0, loss: 3 %, loss_process: gilbert_elliott, burst: {begin: 2 %}}\n"
           "run:\n"
           "  size: 4 KiB\n"
           "  traffic:\n"
           "    - {from: client, to: server}\n"
           "    - {name: back, from: server, to: client, size: 1 KiB, think: 1 ms}\n" +
           more;
}

/// The message about this star with one text replaced.
std::string refused(const std::string& text, const std::string& by, const std::vector<Override>& overrides = {}) {
    std::string all = star();
    const std::size_t at = all.find(text);
    REQUIRE(at != std::string::npos);
    return rejection(all.replace(at, text.size(), by), overrides);
}

TEST_CASE("a network: groups become hosts, their links a link each", "[scenario]") {
    const RunConfig config = ScenarioFile(star()).load().points.at(0).configs.front();
    CHECK(config.network);
    REQUIRE(config.names.size() == 5);
    CHECK(config.names[0] == "server");
    CHECK(config.names[4] == "client3");
    CHECK(config.groups.at(4) == "client");
    REQUIRE(config.links.size() == 5);
    CHECK(config.links[0].name == "server-s0");
    CHECK(config.links[3].name == "client2-s0");
    CHECK(config.links[3].group == "client-s0");
    CHECK(config.switches.at(0).buffer == 65'536);
}

TEST_CASE("a member's value counts before its group's, that before the common one", "[scenario]") {
    const RunConfig config = ScenarioFile(star()).load().points.at(0).configs.front();
    CHECK(drp_of(config, 0).host.registration.failure == 0.2);
    CHECK(drp_of(config, 1).host.registration.failure == 0.1);
    CHECK(drp_of(config, 0).rnic.transport.window == 8);
    CHECK(drp_of(config, 1).rnic.transport.window == 4);
    CHECK(drp_of(config, 3).rnic.transport.window == 2);
    CHECK(config.links[0].loss == 0);
    CHECK(config.links[0].delay == kNanosecond * 80);
    CHECK(config.links[2].loss == 0.01);
    CHECK(config.links[4].loss == 0.03);
    CHECK(config.links[4].burst.begin == 0.02);
    CHECK(config.traffic.at(0).size == 4096);
    CHECK(config.traffic.at(1).size == 1024);
    CHECK(config.traffic.at(1).name == "back");
    CHECK(config.traffic.at(1).think == Cycle{125'000});
    CHECK(config.traffic.at(1).from == std::vector{0U});
}

TEST_CASE("every path of a network can be set and swept", "[scenario]") {
    const Scenario s = ScenarioFile(star()).load(
        {{"system.hosts.client.count", "5"},
         {"system.links.client1-s0.loss", "9 %"},
         {"run.traffic.back.size", "2 KiB"}},
        {{{"system.hosts.client1.rnic.drp.window"}, "5, 6"}, {{"system.switches.s0.buffer"}, "32 KiB, 1 MiB"}});
    REQUIRE(s.points.size() == 4);
    const RunConfig& config = s.points.at(3).configs.front();
    CHECK(config.names.size() == 6);
    CHECK(config.links[2].loss == 0.09);
    CHECK(config.traffic[1].size == 2048);
    CHECK(drp_of(config, 2).rnic.transport.window == 6);
    CHECK(config.switches[0].buffer == 1 << 20);
    CHECK(ScenarioFile(star())
              .load({}, {{{"system.hosts.client.count"}, "4, 1024"}})
              .points.at(1)
              .configs.front()
              .hosts.size() == 1025);
}

TEST_CASE("the listing of a network is the same network again", "[scenario]") {
    const Scenario s = ScenarioFile(star("  sweep: [{keys: [system.hosts.client.count], values: [4, 5]}]\n")).load();
    const Scenario again = ScenarioFile(s.resolved).load();
    CHECK(again.resolved == s.resolved);
    const RunConfig& config = again.points.at(0).configs.front();
    CHECK(config.links.at(4).burst.begin == 0.02);
    CHECK(drp_of(config, 3).rnic.transport.window == 2);
    CHECK(config.traffic.at(0).size == 4096);
    CHECK(again.points.at(1).configs.front().hosts.size() == 6);
}

TEST_CASE("two switches and a named link of another rate", "[scenario]") {
    const RunConfig config = ScenarioFile(
                                 "system:\n  hosts: {left: {}, right: {}}\n  switches: {s0: {}, s1: {}}\n  links:\n"
                                 "    - {between: [left, s0]}\n    - {between: [right, s1]}\n"
                                 "    - {between: [s0, s1], rate: 10 Gbps}\n"
                                 "    - {between: [s0, s1], name: spare}\n"
                                 "run: {traffic: [{from: left, to: right}]}\n")
                                 .load()
                                 .points.at(0)
                                 .configs.front();
    CHECK(config.links.at(2).timing.per_byte == Time{800});
    CHECK(config.links.at(3).timing.per_byte == Time{8000});
    CHECK(config.links.at(3).name == "spare");
}

TEST_CASE("what a network may not be, each with its place", "[scenario]") {
    CHECK(refused("client: {count: 4", "client: {count: 0")
              .starts_with("FILE:5:21: system.hosts.client.count: found '0', expected 1 to 4096"));
    CHECK(refused("server: {host", "Server: {host") ==
          "FILE:4:5: system.hosts.Server: expected a name of lower-case letters and '_'; numbers come from `count`");
    CHECK(refused("client2: {", "client7: {") ==
          "FILE:6:5: system.hosts.client7: there is no 'client7' in this network; "
          "did you mean 'client'?");
    CHECK(refused("of: client3-s0", "of: client9-s0") ==
          "FILE:11:12: system.links.client9-s0: there is no 'client9-s0' in this network, expected one of its names; "
          "did you mean 'client-s0'?");
    CHECK(refused("between: [server, s0]", "between: [server, s1]") ==
          "FILE:9:7: system.links.server-s1: found 's1', expected a host, a group or a switch; did you mean 's0'?");
    CHECK(refused("between: [server, s0]", "between: [server]") ==
          "FILE:9:17: system.links[0].between: found 1 names, expected two, such as {between: [server, s0]}");
    CHECK(refused("between: [server, s0]", "between: [client, s0]")
              .starts_with("FILE:10:7: system.links[1]: a second link 'client-s0', expected `name:`"));
    CHECK(refused("between: [server, s0]", "name: x, between: [client, s0]") ==
          "FILE:4:5: system.hosts.server: has no link, expected one in system.links");
    CHECK(refused("    - {between: [client, s0], loss: 1 %}\n    - {of: client3-s0, loss: 3 %, loss_process: "
                  "gilbert_elliott, burst: {begin: 2 %}}\n",
                  "    - {between: [client, server]}\n    - {between: [client, s0]}\n")
              .starts_with("FILE:4:5: system.hosts.server: has 5 links, server-s0 and client0-server, expected one"));
    CHECK(refused("from: client, to", "from: clients, to") ==
          "FILE:15:7: run.traffic.0.from: found 'clients', expected a host or a group; did you mean 'client'?");
    CHECK(refused("{from: client, to: server}", "{from: server, to: server}") ==
          "FILE:15:7: run.traffic.0: no host asks another one, expected a pair");
    CHECK(refused("{from: client, to: server}", "{from: client, to: server, pairs: ring}") ==
          "FILE:15:7: run.traffic.0: found hosts in `to` that are not those of `from`, expected the same: `pairs: "
          "ring` is among them");
    CHECK(refused("{from: client, to: server}", "{from: client, to: server, pairs: tree}")
              .starts_with("FILE:15:7: run.traffic.0: found hosts in `to` that are not those of `from`, expected the "
                           "same: `pairs: tree`"));
    CHECK(refused("{from: client, to: server}", "{to: server}") ==
          "FILE:15:7: run.traffic[0]: no `from`, expected a name such as client");
    CHECK(
        refused("delay: 80 ns", "rate: 10 Gbps") ==
        "FILE:9:37: system.links.server-s0.rate: found '10 Gbps', expected 1 Gbps: the RNIC of 'server' sends a byte a "
        "cycle of 8 ns");
    CHECK(
        refused("buffer: 64 KiB", "reserve: 30 KiB") ==
        "FILE:7:28: system.switches.s0.reserve: found '30 KiB', expected at most 26214 B: its 5 ports together have no "
        "more than the buffer, 128 KiB");
    CHECK(refused("switches: {s0", "switches: {server: {}, s0") ==
          "FILE:7:14: system.switches.server: is the name of a host too, expected another one");
    CHECK(refused("size: 4 KiB", "direction: both") ==
          "FILE:13:14: run.direction: is of the form with two ends; expected run.traffic with from and to");
    CHECK(refused("  host: {registration", "  a: {host: {registration: {failure: 1 %}}}\n  host: {registration")
              .find("is of the form with two ends; expected system.hosts.NAME") != std::string::npos);
    CHECK(refused("run:\n", "simulation: {rnic: rtl}\nrun:\n").find("the Verilog knows one peer, and 'server' has 4") !=
          std::string::npos);
    CHECK(refused("  host: {registration", "  rnic: {drp: {resume_rule: told}}\n  host: {registration",
                  {{"system.hosts.client2.rnic.drp.resume_rule", "window_full"}})
              .find("found 'window_full' at 'client2' and 'told' at 'server', expected the same at all hosts") !=
          std::string::npos);
    CHECK(refused("window: 4", "segment: 512 B").find("each refuses a request with another segment") !=
          std::string::npos);
    CHECK(refused("  host: {registration", "  host: {ping: {sizes: [64 B]}, registration")
              .find("hosts ping each other where there are two, expected [] among 5") != std::string::npos);
    CHECK(refused("count: 4", "count: 4", {{"system.hosts.client2.count", "3"}}) ==
          "--set: system.hosts.client2.count: 'client2' is one of a group, expected the group's name");
    CHECK(refused("count: 4", "count: 4", {{"system.switches.s1.buffer", "1 MiB"}}) ==
          "--set: system.switches.s1.buffer: there is no 's1' in this network, expected one of its names; did you mean "
          "'s0'?");
    CHECK(refused("client2: {", "other2: {").find("numbers come from `count`, and there is no group 'other'") !=
          std::string::npos);
    CHECK(refused("count: 4", "count: 2000")
              .find("FILE:4:5: system.hosts.server: has 2000 peers, expected at most 1024") != std::string::npos);
}

TEST_CASE("ways that lead nowhere", "[scenario]") {
    CHECK(rejection("system:\n  hosts: {left: {}, right: {}}\n  switches: {s0: {}, s1: {}}\n  links:\n"
                    "    - {between: [left, s0]}\n    - {between: [right, s1]}\n"
                    "run: {traffic: [{from: left, to: right}]}\n") ==
          "FILE:7:17: run.traffic.0: no way leads from 'left' to 'right', expected links between them");
    CHECK(rejection("system:\n  hosts: {left: {}, right: {}}\n  links: [{between: [left, right]}]\n") ==
          "FILE: run.traffic: missing, expected items such as {from: client, to: server}");
}

TEST_CASE("keys of networks stand in networks", "[scenario]") {
    CHECK(rejection("system: {link: {rate: 10 Gbps}}\n") ==
          "FILE:1:23: system.link.rate: is for networks, expected `system.hosts`, too");
    CHECK(rejection("system: {switches: {s0: {}}}\n") ==
          "FILE:1:21: system.switches: is for networks, expected `system.hosts`, too");
    CHECK(rejection("run: {traffic: [{from: a, to: b}]}\n").find("is for networks") != std::string::npos);
    CHECK(rejection("run: {}\n", {{"system.hosts.client.count", "3"}}).find("is for networks") != std::string::npos);
    CHECK(rejection(star(), {{"system.hosts", "{}"}}) == "--set: system.hosts: is a section, expected one of its keys");
}

TEST_CASE("a responder's patience covers what a switch may hold on the way, and no more; a refusal says what helps") {
    const std::string many =
        "system:\n"
        "  hosts: {server: {}, client: {count: 99}}\n"
        "  switches: {s0: {buffer: 16 MiB}, s1: {buffer: 1024 MiB}}\n"  // nobody's frames pass s1
        "  links: [{between: [server, s0]}, {between: [client, s0]}, {between: [s0, s1]}]\n"
        "run: {traffic: [{from: client, to: server}]}\n";
    const std::string said = rejection(many);
    INFO(said);
    CHECK(said.find("system.rnic.drp.idle_timeout: found '100 ms', expected longer than the other end tries: ") !=
          std::string::npos);
    // A queue takes half of what is there: 8 MiB of frames of 64 B, which take 84 on the wire, are 88 ms.
    const auto number_behind = [&](const std::string& words) {
        const std::size_t at = said.find(words);
        REQUIRE(at != std::string::npos);
        return std::stod(said.substr(at + words.size()));
    };
    const double least_us = number_behind("and the link both ways: ");
    CHECK(least_us > 38'000 + 88'000);
    CHECK(least_us < 38'000 + 89'000);
    const auto most = static_cast<long>(number_behind("expected that, or system.switches.s0.buffer of at most "));
    const auto with_buffer = [&](long kib) {
        return rejection(many, {{"system.switches.s0.buffer", std::to_string(kib) + " KiB"}});
    };
    CHECK(with_buffer(most).empty());
    CHECK_FALSE(with_buffer(most + 1).empty());
    const auto with_timeout = [&](double us) {
        return rejection(many, {{"system.rnic.drp.idle_timeout", std::to_string(us) + " us"}});
    };
    CHECK(with_timeout(least_us + 0.008).empty());
    CHECK_FALSE(with_timeout(least_us).empty());
}

}  // namespace
}  // namespace rnicsim
