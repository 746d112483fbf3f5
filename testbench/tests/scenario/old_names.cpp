// SPDX-License-Identifier: Apache-2.0
// A key's old name reads as its new one, wherever it may stand, and each place is told.
#include "testbench/scenario/old_names.h"
#include "testbench/scenario/scenario.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace rnicsim {
namespace {

/// The scenario as it is with today's names, but for the warnings.
std::string resolved_of(const std::string& text, const std::vector<Override>& overrides = {},
                        const std::vector<AxisOption>& axes = {}) {
    return ScenarioFile(text).load(overrides, axes).resolved;
}
/// The warnings, without the path of the file.
std::vector<std::string> warnings_of(const std::string& text, const std::vector<Override>& overrides = {},
                                     const std::vector<AxisOption>& axes = {}) {
    const ScenarioFile file(text);
    std::vector<std::string> all = file.load(overrides, axes).warnings;
    for (std::string& warning : all) {
        if (warning.starts_with(file.path().string())) warning.erase(0, file.path().string().size());
    }
    return all;
}

constexpr const char* kEnd = "; the next release will not know the old name";

TEST_CASE("an old name in a file reads as the new one, with its place", "[scenario]") {
    const std::string was = "system: {rnic: {transport: {window: 4}}, a: {rnic: {transport: {max_requests: 9}}}}\n";
    const std::string is = "system: {rnic: {drp: {window: 4}}, a: {rnic: {drp: {max_requests: 9}}}}\n";
    CHECK(resolved_of(was) == resolved_of(is));
    CHECK(warnings_of(is).empty());
    CHECK(
        warnings_of(was) ==
        std::vector<std::string>{std::string(":1:17: system.rnic.transport is called system.rnic.drp now") + kEnd,
                                 std::string(":1:53: system.a.rnic.transport is called system.a.rnic.drp now") + kEnd});
    const std::string dotted = "system.rnic.transport.window: 4\nsystem.a.rnic.transport.max_requests: 9\n";
    CHECK(resolved_of(dotted) == resolved_of(is));
    CHECK(warnings_of(dotted).size() == 2);
}

TEST_CASE("... of a host of a network, in a sweep, in a variant", "[scenario]") {
    const std::string network =
        "system:\n  hosts: {a: {rnic: {NAME: {window: 4}}}, b: {}}\n  links: [{between: [a, b]}]\n"
        "run:\n  traffic: [{from: a, to: b}]\n  sweep: [{name: w, keys: [system.hosts.b.rnic.NAME.window], values: "
        "[2, 4]}]\n  variants: {old: {}, new: {system.rnic.NAME.max_requests: 5}}\n";
    const auto with = [&](const std::string& name) {
        std::string text = network;
        for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME"))
            text.replace(at, 4, name);
        return text;
    };
    CHECK(resolved_of(with("transport")) == resolved_of(with("drp")));
    CHECK(warnings_of(with("transport")).size() == 3);
    CHECK(warnings_of(with("drp")).empty());
}

TEST_CASE("... in --set and --axis", "[scenario]") {
    const std::vector<Override> was{{"system.rnic.transport.window", "4"}}, is{{"system.rnic.drp.window", "4"}};
    CHECK(resolved_of("{}\n", was) == resolved_of("{}\n", is));
    CHECK(warnings_of("{}\n", was).at(0).starts_with("--set: system.rnic.transport.window is called "));
    const std::vector<AxisOption> axis{{{"system.rnic.transport.window"}, "2, 4"}};
    const Scenario swept = ScenarioFile("{}\n").load({}, axis);
    REQUIRE(swept.points.size() == 2);
    CHECK(swept.points[0].values[0].first == "system.rnic.drp.window");  // the axis has today's name
    CHECK(warnings_of("{}\n", {}, axis).size() == 1);
    // Both are one key.
    CHECK(ScenarioFile("{}\n").rejection(is, axis) ==
          "--set: system.rnic.drp.window: is swept by --axis too, expected one of them");
}

TEST_CASE("both names at once are one key given twice", "[scenario]") {
    CHECK(rejection("system: {rnic: {drp: {window: 4}, transport: {segment: 512 B}}}\n") ==
          "FILE:1:35: system.rnic.drp: given twice, expected once; system.rnic.transport is its old name");
    CHECK(rejection("run: {variants: {x: {system.rnic.drp.window: 4, system.rnic.transport.window: 2}, y: {}}}\n")
              .ends_with("system.rnic.transport.window is its old name"));
}

TEST_CASE("only a whole part of a path is an old name", "[scenario]") {
    CHECK(named_now("system.rnic.transport") == "system.rnic.drp");
    CHECK(named_now("system.rnic.transports.x") == "system.rnic.transports.x");
    CHECK(named_now("system.xrnic.transport") == "system.xrnic.transport");
    CHECK(named_now("rnic.transport") == "rnic.transport");
}

}  // namespace
}  // namespace rnicsim
