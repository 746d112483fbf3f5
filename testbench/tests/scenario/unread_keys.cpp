// SPDX-License-Identifier: Apache-2.0
// Keys of what is off are refused, with their place, why nothing reads them, and what would make them count. That each
// key does count somewhere: testbench/tests/cli/keys_count_test.py.
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace rnicsim {
namespace {

const std::string kLate = "system: {link: {lateness: 30 us}}\n";
const std::string kPair =
    "system:\n"
    "  rnic: {profile: cx5_100g}\n"
    "  hosts: {a: {}, b: {}}\n"
    "  links: [{between: [a, b]}]\n"
    "run:\n"
    "  traffic: [{from: a, to: b, size: 4 KiB}]\n";

bool has(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

TEST_CASE("what the file says of a feature that is off is refused", "[scenario]") {
    CHECK(rejection(kLate) ==
          "FILE:1:27: system.link.lateness: has no effect: no frame is copied or comes late, expected "
          "system.link.reordering of more than 0 %");
    CHECK(rejection("system: {link: {lateness: 20 us}}\n").empty());  // its default: a listing has every key
    CHECK(rejection("system: {link: {lateness: 30 us, reordering: 1 %}}\n").empty());
    CHECK(has(rejection("run: {methods: [traditional]}\nsystem: {rnic: {drp: {indirect_buffer: 4 KiB}}}\n"),
              "FILE:2:40: system.rnic.drp.indirect_buffer: has no effect: the method is traditional, expected "
              "system.rnic.drp.method: dynamic"));
    CHECK(rejection("system: {rnic: {drp: {indirect_buffer: 4 KiB}}}\n").empty());  // of one of its methods
}

TEST_CASE("an item's own key names its own remedy", "[scenario]") {
    std::string text = kPair;
    text.replace(text.find("[a, b]}"), 7, "[a, b], jitter: 6 us}");
    CHECK(rejection(text) ==
          "FILE:4:37: system.links.a-b.jitter: has no effect: no delay varies, expected "
          "system.links.a-b.delay_variation of more than 0 %");
}

TEST_CASE("one point or one variant that reads it is enough for the file and an axis", "[scenario]") {
    const std::string sweep = "run: {sweep: [{keys: [system.link.reordering], values: [0 %, 1 %]}]}\n";
    CHECK(rejection(kLate + sweep).empty());
    CHECK(ScenarioFile("{}\n")
              .rejection({}, {{{"system.link.lateness"}, "9 us, 10 us"}})
              .starts_with("--axis: system.link.lateness: has no effect: no frame"));
    CHECK(ScenarioFile(sweep).rejection({}, {{{"system.link.lateness"}, "9 us, 10 us"}}).empty());
    const std::string variants =
        "  variants: {plain: {}, dcqcn: {system.rnic.rc.congestion: dcqcn, system.link.ecn_marking: 1 %}}\n";
    CHECK(ScenarioFile(kPair + variants).rejection({}, {{{"system.rnic.rc.dcqcn.g"}, "4, 5"}}).empty());
    CHECK(has(rejection(kPair + "  variants: {a: {system.rnic.rc.dcqcn.g: 5}, b: {system.rnic.rc.congestion: dcqcn, "
                                "system.link.ecn_marking: 1 %}}\n"),
              "FILE:7:42: system.rnic.rc.dcqcn.g: has no effect: congestion is not dcqcn, expected "
              "system.rnic.rc.congestion: dcqcn"));
}

TEST_CASE("an option may turn off what the file has settings for, and the listing leaves them out", "[scenario]") {
    const std::string late = "system: {link: {lateness: 30 us, reordering: 1 %}}\n";
    const ScenarioFile file(late);
    CHECK(file.rejection({{"system.link.reordering", "0 %"}}).empty());
    const Scenario s = file.load({{"system.link.reordering", "0 %"}});
    CHECK_FALSE(has(s.resolved, "lateness: 30 us"));
    CHECK(file.rejection({{"system.link.reordering", "0 %"}, {"system.link.lateness", "31 us"}})
              .starts_with("--set: system.link.lateness: has no effect"));
    CHECK(ScenarioFile(s.resolved).load().resolved == s.resolved);
    // What is wrong without it stays wrong.
    CHECK(ScenarioFile(kLate).rejection({{"simulation.seed", "2"}}).starts_with("FILE:1:27: system.link.lateness"));
}

TEST_CASE("programs may do what items do not, and a tape what has no chance", "[scenario]") {
    const auto rejected = [](const std::string& text, const std::vector<Override>& set, Purpose purpose) {
        const ScenarioFile file(text);
        try {
            static_cast<void>(load_scenario(file.path(), set, {}, purpose));
        } catch (const ScenarioError& error) { return std::string(error.what()); }
        return std::string();
    };
    const std::vector<Override> atomics{{"system.rnic.rc.atomic_busy", "64 ns"}};
    CHECK(has(rejected(kPair, atomics, {}), "has no effect: no atomic changes memory of the host"));
    CHECK(rejected(kPair, atomics, {.programs = true, .tape = false}).empty());
    const std::vector<Override> dcqcn{{"system.rnic.rc.dcqcn.g", "5"}};
    CHECK(has(rejected(kPair, dcqcn, {.programs = true, .tape = false}), "has no effect: congestion is not dcqcn"));
    // Programs go other ways than items: a mark at c's link may be on theirs, and b may ask a.
    std::string marked = kPair;
    marked.replace(marked.find("[{between: [a, b]}]"), 19,
                   "[{between: [a, s0]}, {between: [b, s0]}, {between: [c, s0], ecn_marking: 1 %}]\n"
                   "  switches: {s0: {mtu: 4200 B}}");
    marked.replace(marked.find("b: {}"), 5, "b: {}, c: {}");
    const std::vector<Override> of_b{{"system.rnic.rc.congestion", "dcqcn"}, {"system.hosts.b.rnic.rc.dcqcn.g", "5"}};
    CHECK(has(rejected(marked, of_b, {}), "has no effect: it sends no requests or READ responses"));
    CHECK(rejected(marked, of_b, {.programs = true, .tape = false}).empty());
    const std::vector<Override> retry{{"system.host.registration.retry_interval", "1 ms"}};
    CHECK(has(rejected("{}\n", retry, {}), "has no effect: no registration fails but for want of memory"));
    CHECK(rejected("{}\n", retry, {.programs = false, .tape = true}).empty());
}

TEST_CASE("a value for all items that one has no use for is listed for all", "[scenario]") {
    const std::string text =
        kPair.substr(0, kPair.find("  traffic")) +
        "  depth: 4\n  traffic: [{from: a, to: b, size: 4 KiB}, {from: b, to: a, size: 8 B, pattern: ping_pong}]\n";
    const Scenario s = ScenarioFile(text).load();
    const Scenario again = ScenarioFile(s.resolved).load();
    CHECK(again.resolved == s.resolved);
    CHECK(again.points[0].configs[0].traffic[0].verbs.depth == 4);
    const Scenario swept = ScenarioFile(text).load({{"run.depth", "8"}}, {{{"run.transfers"}, "1, 2"}});
    CHECK(ScenarioFile(swept.resolved).load().points.size() == 2);
}

TEST_CASE("a file may describe more than its items use, an option has to count", "[scenario]") {
    const std::string text =
        "system:\n  hosts: {a: {}, b: {}, c: {host: {memory: {latency: 1 us}}}}\n  switches: {s0: {}}\n"
        "  links: [{between: [a, s0]}, {between: [b, s0]}, {between: [c, s0], loss: 2 %}]\n"
        "run: {traffic: [{from: a, to: b}]}\n";
    const auto set = [&](const char* path, const char* value) { return rejection(text, {{path, value}}); };
    CHECK(rejection(text).empty());
    CHECK(set("system.links.c-s0.loss", "1 %") ==
          "--set: system.links.c-s0.loss: has no effect: no item's frames cross the link, expected run.traffic with "
          "hosts at both sides of it");
    CHECK(set("system.links.b-s0.loss", "1 %").empty());
    CHECK(
        set("system.hosts.c.host.memory.latency", "2 us") ==
        "--set: system.hosts.c.host.memory.latency: has no effect: no item has the host, expected run.traffic with an "
        "item of it");
    CHECK(set("system.hosts.b.host.memory.latency", "2 us").empty());
}

}  // namespace
}  // namespace rnicsim
