// SPDX-License-Identifier: Apache-2.0
// What an axis, a variant or an option says has to be read by something: else who overrides it, and which path counts.
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace rnicsim {
namespace {

const std::string kStar =
    "system:\n"
    "  rnic: {profile: cx5_100g}\n"
    "  hosts:\n"
    "    server: {HOST}\n"
    "    client: {count: 2, rnic: {rc: {timeout: 15}}}\n"
    "    client1: {rnic: {rc: {timeout: 16}}}\n"
    "  switches: {s0: {mtu: 4200 B, latency: 300 ns, buffer: 16 MiB}}\n"
    "  links:\n"
    "    - {between: [server, s0], rate: 100 Gbps}\n"
    "    - {between: [client, s0], rate: 100 Gbps, loss: 1 %}\n"
    "run:\n"
    "  repetitions: 1\n"
    "  traffic:\n"
    "    - {from: client, to: server, operation: write, size: 16 KiB}\n"
    "    - {from: client, to: server, operation: read, size: 4 KiB, depth: 2, name: back}\n";

std::string star(const std::string& of_server = "", const std::string& more = "") {
    std::string text = kStar + more;
    return text.replace(text.find("HOST"), 4, of_server);
}

std::string axis_rejection(const std::string& key, const std::string& values, const std::string& text = star()) {
    return ScenarioFile(text).rejection({}, {{{key}, values}});
}

TEST_CASE("an axis that every item overrides is refused with who does and the path that counts", "[scenario]") {
    CHECK(axis_rejection("run.size", "16 KiB, 256 KiB")
              .starts_with("--axis: run.size: has no effect: "
                           "run.traffic.0.size (FILE:14:58) and 1 other "
                           "override it, expected run.traffic.0.size"));
    CHECK(axis_rejection("run.operation", "write, read").find("expected run.traffic.0.operation") != std::string::npos);
    CHECK(axis_rejection("system.link.rate", "40 Gbps, 100 Gbps").find("expected system.links.server-s0.rate") !=
          std::string::npos);
    CHECK(axis_rejection("system.switch.buffer", "1 MiB, 2 MiB") ==
          "--axis: system.switch.buffer: has no effect: system.switches.s0.buffer (FILE:7:57) overrides it, expected "
          "system.switches.s0.buffer");
    CHECK(axis_rejection("run.traffic.0.size", "16 KiB, 256 KiB").empty());
}

TEST_CASE("an axis that some item reads is one", "[scenario]") {
    CHECK(axis_rejection("run.depth", "1, 2").empty());             // item 0
    CHECK(axis_rejection("system.link.loss", "0 %, 1 %").empty());  // the server's link
    CHECK(axis_rejection("run.transfers", "1, 2").empty());
    CHECK(axis_rejection("system.hosts.client.count", "2, 3").empty());
    CHECK(axis_rejection("simulation.seed", "1, 2").empty());
    CHECK(axis_rejection("system.rnic.rc.rx_path", "128 ns, 256 ns").empty());
}

TEST_CASE("options, axes of the file, and values of groups: the same", "[scenario]") {
    CHECK(rejection(star(), {{"run.size", "1 KiB"}}).starts_with("--set: run.size: has no effect: run.traffic.0.size"));
    const std::string sweep = "  sweep: [{keys: [run.size], values: [1 KiB, 2 KiB]}]\n";
    const std::string swept = rejection(star("", sweep));
    CHECK(swept.starts_with("FILE:16:11: run.size: has no effect: run.traffic.0.size ("));
    CHECK(swept.ends_with(":14:58) and 1 other override it, expected run.traffic.0.size"));
    CHECK(rejection(star(), {{"system.hosts.client.rnic.rc.timeout", "17"}}).empty());  // of client0
    CHECK(rejection(star(),
                    {{"system.hosts.client0.rnic.rc.timeout", "18"}, {"system.hosts.client.rnic.rc.timeout", "17"}})
              .starts_with("--set: system.hosts.client.rnic.rc.timeout: has no effect: "
                           "system.hosts.client0.rnic.rc.timeout (--set) and 1 other override it"));
}

TEST_CASE("a preset of a host overrides what is said of all hosts", "[scenario]") {
    std::string text = star("rnic: {profile: cx5_100g}");
    text.replace(text.find("  rnic: {profile: cx5_100g}\n"), 28, "");
    text.replace(text.find("rnic: {rc: {timeout: 15}}"), 25, "rnic: {profile: cx5_100g}");
    CHECK(
        rejection(text, {{"system.rnic.rc.min_rnr_timer", "18"}}) ==
        "--set: system.rnic.rc.min_rnr_timer: has no effect: system.hosts.server.rnic.profile (FILE:3:30) and 1 other "
        "override it, expected system.hosts.server.rnic.rc.min_rnr_timer");
    CHECK(rejection(text, {{"system.rnic.profile", "gigabit_fpga"}})
              .starts_with("--set: system.rnic.profile: has no effect: system.hosts.server.rnic.profile"));
    CHECK(rejection(text, {{"system.hosts.server.rnic.rc.rx_path", "256 ns"}}).empty());
}

TEST_CASE("a variant's key is read in that variant", "[scenario]") {
    const auto variants = [](const std::string& of) {
        return star("", "  variants: {plain: {}, other: {" + of + "}}\n");
    };
    CHECK(rejection(variants("run.size: 1 KiB"))
              .starts_with("FILE:16:43: run.size: has no effect: run.traffic.0.size ("));
    CHECK(rejection(variants("run.depth: 1")).empty());
    CHECK(rejection(variants("run.traffic.back.depth: 1")).empty());
    // What another variant overrides is read in this one.
    CHECK(rejection(variants("run.traffic.0.depth: 1"), {{"run.depth", "4"}}).empty());
}

TEST_CASE("what no host here has is read by nothing, even if it is the default", "[scenario]") {
    CHECK(rejection(star(), {{"system.rnic.drp.window", "8"}})
              .starts_with("--set: system.rnic.drp.window: has no effect: "));
    const std::string drp =
        "system: {hosts: {a: {}, b: {}}, links: [{between: [a, b]}]}\nrun: {traffic: [{from: a, to: b}]}\n";
    CHECK(rejection(drp, {{"system.rnic.rc.timeout", "15"}}) ==
          "--set: system.rnic.rc.timeout: has no effect: nothing in this scenario reads it");
    CHECK(rejection(drp, {{"run.depth", "16"}}) ==
          "--set: run.depth: has no effect: it is for messages of verbs, expected it for hosts with a RoCEv2 RNIC");
}

TEST_CASE("what stands in the file may be overridden everywhere: a listing has every key", "[scenario]") {
    const Scenario s = ScenarioFile(star()).load();
    CHECK(ScenarioFile(s.resolved).load().resolved == s.resolved);
}

}  // namespace
}  // namespace rnicsim
