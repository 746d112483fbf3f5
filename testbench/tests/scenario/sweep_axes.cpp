// SPDX-License-Identifier: Apache-2.0
// Sweep axes: ranges, rows, what can be swept, and the same from the command line; every rejection with its message.
#include <catch2/catch_test_macros.hpp>

#include "model/rnic/drp/end/end_config.h"
#include "testbench/scenario/range.h"
#include "testbench/scenario/schema.h"
#include "testbench/tests/scenario/scenario_file.h"

namespace rnicsim {
namespace {

std::string with_axis(const std::string& axis) { return "run:\n  sweep:\n    - " + axis + "\n"; }

std::string with_range(const std::string& key, const std::string& range) {
    return with_axis("{keys: [" + key + "], values: {" + range + "}}");
}

/// The values of the first axis, point by point.
std::vector<std::string> labels(const Scenario& scenario) {
    std::vector<std::string> texts;
    for (const SweepPoint& point : scenario.points) texts.push_back(point.values.at(0).second);
    return texts;
}

std::vector<std::string> range_labels(const std::string& key, const std::string& range) {
    return labels(ScenarioFile(with_range(key, range)).load());
}

using Texts = std::vector<std::string>;

/// Two different legal values, derived from the declaration.
std::pair<std::string, std::string> two_values(const Key& key) {
    const std::string fallback(key.fallback);
    if (key.kind == Kind::boolean) return {"true", "false"};
    if (key.kind == Kind::bytes_list) return {"[256 B, 512 B]", "[]"};
    if (key.kind == Kind::integer_list) return {"[3, 4]", "[]"};
    if (key.kind == Kind::probability) return {fallback, "7 %"};
    if (!key.choices.empty()) {
        const std::string unit = key.kind == Kind::bytes ? " B" : "";
        return {std::string(key.choices[0]) + unit, std::string(key.choices[1]) + unit};
    }
    Value value;
    std::string expected;
    REQUIRE(read_value(key, fallback, value, expected));
    const bool off_is_zero =
        value.number == 0 && (key.kind == Kind::bytes || key.kind == Kind::rate || key.kind == Kind::bit_rate);
    const bool at_most = value.number == key.most || key.path.ends_with(".mtu");  // a DRP RNIC has no more
    // What an RNIC or a host does takes whole cycles of its clock.
    const bool of_host = key.kind == Kind::picoseconds && owner_of(key.path) == Owner::host;
    value.number += off_is_zero ? 1 << 20 : of_host ? (at_most ? -value.number / 2 : 8'000) : at_most ? -1 : 1;
    return {fallback, write_limit(key, value.number)};
}

TEST_CASE("every key can be swept, or says why not", "[scenario]") {
    for (const Key& key : all_keys()) {
        const auto [first, second] = two_values(key);
        Texts paths{std::string(key.path)};
        if (key.path.starts_with("system.") && may_differ_by_end(key.path)) {
            for (const char* const end : {"system.a", "system.b"}) paths.push_back(end + paths[0].substr(6));
        }
        for (const std::string& path : paths) {
            INFO(path << ": " << first << ", " << second);
            const std::string axis = with_axis("{keys: [" + path + "], values: [" + first + ", " + second + "]}");
            if (path == "run.repetitions") {
                CHECK(rejection(axis) ==
                      "FILE:3:7: run.sweep[0].keys: 'run.repetitions' cannot be swept, every point has the same");
                continue;
            }
            if (key.path.ends_with(".segment") && path != key.path) {  // both ends need the same value
                CHECK(rejection(axis).find("expected the other end's") != std::string::npos);
                continue;
            }
            if (key.network) {  // tried in a network below
                CHECK(rejection(axis).find("is for networks, expected `system.hosts`, too") != std::string::npos);
                continue;
            }
            // What it is of is off here: keys_table.py has a scenario in which it counts.
            if (rejection(axis).find(path + ": has no effect") != std::string::npos) continue;
            CHECK(rejection(axis).empty());
            const Scenario s = ScenarioFile("{}\n").load({}, {{{path}, first + ", " + second}});
            CHECK(labels(s) == Texts{first, second});
            CHECK(labels(ScenarioFile(s.resolved).load()) == Texts{first, second});
        }
    }
    CHECK(rejection(with_axis("{keys: [run.methods], values: [dynamic]}")) ==
          "FILE:3:7: run.sweep[0].keys: 'run.methods' cannot be swept, every point has the same");
    CHECK(rejection(with_axis("{keys: [system.link], values: [1]}")) ==
          "FILE:3:7: run.sweep[0].keys: 'system.link' cannot be swept; did you mean 'system.link.loss'?");
}

TEST_CASE("a range has both its ends, in the unit of the first", "[scenario]") {
    CHECK(range_labels("system.link.loss", "from: 0 %, to: 3 %, step: 1 %") == Texts{"0 %", "1 %", "2 %", "3 %"});
    CHECK(range_labels("system.link.loss", "from: 0 %, to: 0.3 %, step: 0.1 %") ==
          Texts{"0 %", "0.1 %", "0.2 %", "0.3 %"});
    CHECK(range_labels("system.link.delay", "from: 0.5 ms, to: 1500 us, step: 500000 ns") ==
          Texts{"0.5 ms", "1 ms", "1.5 ms"});
    CHECK(range_labels("run.size", "from: 1 KiB, to: 2 KiB, step: 512 B") == Texts{"1 KiB", "1.5 KiB", "2 KiB"});
    CHECK(range_labels("run.size", "from: 512 B, to: 1 KiB, step: 0.25 KiB") == Texts{"512 B", "768 B", "1024 B"});
    CHECK(range_labels("system.rnic.drp.window", "from: 4, to: 16, step: 4") == Texts{"4", "8", "12", "16"});
    CHECK(range_labels("system.host.memory.bandwidth", "from: 800MB/s, to: 1.6 GB/s, step: 400 MB/s") ==
          Texts{"800 MB/s", "1200 MB/s", "1600 MB/s"});
    CHECK(range_labels("run.in_flight", "from: 3, to: 3, step: 5") == Texts{"3"});
    CHECK(range_labels("run.transfers", "from: 1, to: 10000, step: 1").size() == 10'000);
}

TEST_CASE("a range becomes exactly the values that a list gives", "[scenario]") {
    const Scenario range = ScenarioFile(with_range("system.link.loss", "from: 0 %, to: 10 %, step: 0.1 %")).load();
    REQUIRE(range.points.size() == 101);
    for (const SweepPoint& point : range.points) {
        const Scenario one = ScenarioFile("{}\n").load({{"system.link.loss", point.values[0].second}});
        CHECK(point.configs.front().links[0].loss == one.points[0].configs.front().links[0].loss);
    }
    CHECK(ScenarioFile(range.resolved).load().resolved == range.resolved);
}

TEST_CASE("several keys of an axis share a range", "[scenario]") {
    const Scenario s = ScenarioFile(with_axis("{name: p, keys: [system.link.loss, system.host.registration.failure], "
                                              "values: {from: 0 %, to: 10 %, step: 5 %}}"))
                           .load();
    REQUIRE(s.points.size() == 3);
    CHECK(s.points[1].configs.front().links[0].loss == 0.05);
    CHECK(drp_of(s.points[1].configs.front(), 1).host.registration.failure == 0.05);
}

TEST_CASE("a bad range", "[scenario]") {
    const auto loss = [](const std::string& range) { return rejection(with_range("system.link.loss", range)); };
    CHECK(loss("from: 0 %, to: 10 %, step: 3 %") ==
          "FILE:3:70: run.sweep[0].values.step: found '3 %', expected a step that divides the distance from 0 % to "
          "10 %");
    CHECK(loss("from: 0 %, to: 10 %, step: 0 %") ==
          "FILE:3:70: run.sweep[0].values.step: found '0 %', expected a step above zero");
    CHECK(loss("from: 5 %, to: 1 %, step: 1 %") ==
          "FILE:3:58: run.sweep[0].values.to: found '1 %', expected at least the start: 5 %");
    CHECK(loss("from: 0 %, to: 101 %, step: 1 %") ==
          "FILE:3:58: run.sweep[0].values.to: found '101 %', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(loss("from: 0, to: 10 %, step: 1 %") ==
          "FILE:3:49: run.sweep[0].values.from: found '0', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(loss("from: 0 %, to: 10 %, step: 1 ms") ==
          "FILE:3:70: run.sweep[0].values.step: found '1 ms', expected a number of at most 15 digits with a unit, such "
          "as 1 %");
    CHECK(loss("from: 0 %, to: 10 %, step: -1 %") ==
          "FILE:3:70: run.sweep[0].values.step: found '-1 %', expected a number of at most 15 digits with a unit, such "
          "as 1 %");
    CHECK(loss("from: 0 %, to: 100 %, step: 0.01 %") ==
          "FILE:3:71: run.sweep[0].values.step: found '0.01 %', expected a step that gives at most 10000 values from "
          "0 % to 100 %");
    CHECK(loss("from: 0 %, to: 10 %") ==
          "FILE:3:42: run.sweep[0].values: no 'step', expected a range such as {from: 0 %, to: 10 %, step: 1 %}");
    CHECK(loss("from: 0 %, to: 10 %, stp: 1 %") ==
          "FILE:3:64: run.sweep[0].values.stp: unknown key; did you mean 'step'?");
    CHECK(loss("from: 0 %, to: [10 %], step: 1 %") ==
          "FILE:3:58: run.sweep[0].values.to: found a list, expected a single value");
    CHECK(loss("from: 0.00000000000001 %, to: 100 %, step: 0.00000000000001 %")
              .ends_with("expected a step that gives at most 10000 values from 0.00000000000001 % to 100 %"));
}

TEST_CASE("a range that its key does not allow", "[scenario]") {
    CHECK(rejection(with_range("run.operation", "from: 1, to: 2, step: 1")) ==
          "FILE:3:39: run.sweep[0].values: found a range, but 'run.operation' is no number; expected a list of its "
          "values");
    CHECK(rejection(with_range("system.host.ping.sizes", "from: 1 B, to: 2 B, step: 1 B")) ==
          "FILE:3:48: run.sweep[0].values: found a range, but 'system.host.ping.sizes' is no number; expected a list "
          "of its values");
    CHECK(rejection(with_range("system.host.software.event_cost", "from: 8 ns, to: 24 ns, step: 4 ns")) ==
          "FILE:3:57: system.host.software.event_cost: found '12 ns' in the range, expected a whole number of 8 ns "
          "cycles, "
          "such as 8 "
          "ns or 16 ns");
    CHECK(rejection(with_range("system.rnic.pcie.lanes", "from: 1, to: 4, step: 1")) ==
          "FILE:3:48: system.rnic.pcie.lanes: found '3' in the range, expected 1, 2, 4, 8 or 16");
    CHECK(rejection(with_axis("{keys: [system.link.loss, run.size], values: {from: 1 %, to: 2 %, step: 1 %}}")) ==
          "FILE:3:52: run.size: found '1 %' in the range, expected a number of bytes with a unit (B, KiB, MiB), such "
          "as 128 KiB");
    CHECK(rejection(with_range("run.size", "from: 1 MiB, to: 1.5 MiB, step: 1 B"))
              .ends_with("expected a step that gives at most 10000 values from 1 MiB to 1.5 MiB"));
    CHECK(rejection(with_range("run.size", "from: 1 MiB, to: 1048578 B, step: 1 B")) ==
          "FILE:3:41: run.sweep[0].values.from: found '1 MiB', expected a unit in which every value has few decimals");
    CHECK(rejection(with_range("simulation.seed", "from: 1, to: 9000000000000000000, step: 1")) ==
          "FILE:3:55: run.sweep[0].values.to: found '9000000000000000000', expected a number of at most 15 digits, "
          "such as 1");
}

TEST_CASE("a row has a value for each key", "[scenario]") {
    const std::string keys = "keys: [system.link.loss, system.rnic.drp.request_timer]";
    const Scenario s =
        ScenarioFile(with_axis("{" + keys + ", values: [[0 %, 1 ms], [1 %, 2 ms], [0 %, 2 ms]]}")).load();
    CHECK(labels(s) == Texts{"0 %, 1 ms", "1 %, 2 ms", "0 %, 2 ms"});
    CHECK(s.points[0].values[0].first == "loss");
    CHECK(s.points[1].configs.front().links[0].loss == 0.01);
    CHECK(drp_of(s.points[1].configs.front(), 0).rnic.transport.request_timer == Cycle{250'000});
    CHECK(s.points[2].configs.front().links[0].loss == 0);
    const Scenario again = ScenarioFile(s.resolved).load();
    CHECK(again.resolved == s.resolved);
    CHECK(labels(again) == labels(s));

    CHECK(rejection(with_axis("{" + keys + ", values: [[0 %, 1 ms], [1 %]]}")) ==
          "FILE:3:87: run.sweep[0].values: found a row of 1, expected a value for each of the 2 keys: "
          "system.link.loss, system.rnic.drp.request_timer");
    CHECK(rejection(with_axis("{" + keys + ", values: [[1 ms, 0 %]]}")) ==
          "FILE:3:75: system.link.loss: found '1 ms', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(rejection(with_axis("{" + keys + ", values: [[0 %, 1 ms], [0 %, 1 ms]]}")) ==
          "FILE:3:87: run.sweep[0].values: '0 %, 1 ms' is given twice, expected different values");
    CHECK(rejection(with_axis("{keys: [system.link.loss], values: [[1 %]]}")) ==
          "FILE:3:43: system.link.loss: found a list, expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(rejection(with_axis("{keys: [system.link.loss], values: 1 %}")) ==
          "FILE:3:42: run.sweep[0].values: found '1 %', expected a list such as [0 %, 1 %] or a range such as "
          "{from: 0 %, to: 10 %, step: 1 %}");
    CHECK(rejection(with_axis("{keys: [system.link.loss], values: [1 %], values: [2 %]}")) ==
          "FILE:3:49: run.sweep[0].values: given twice, expected once");
}

TEST_CASE("lists are values too: one of the only key, or in a row", "[scenario]") {
    const Scenario one =
        ScenarioFile(with_axis("{keys: [system.host.ping.sizes], values: [[], [1 KiB, 64 B]]}")).load();
    CHECK(labels(one) == Texts{"[]", "[1 KiB, 64 B]"});
    CHECK(drp_of(one.points[1].configs.front(), 0).host.ping.sizes == std::vector<std::uint32_t>{1024, 64});
    const Scenario rows = ScenarioFile(with_axis("{keys: [system.a.host.ping.sizes, run.size], "
                                                 "values: [[[64 B, 65 B], 1 KiB], [[], 2 KiB]]}"))
                              .load();
    CHECK(labels(rows) == Texts{"[64 B, 65 B], 1 KiB", "[], 2 KiB"});
    CHECK(drp_of(rows.points[0].configs.front(), 0).host.ping.sizes.size() == 2);
    CHECK(drp_of(rows.points[0].configs.front(), 1).host.ping.sizes.empty());
    CHECK(ScenarioFile(rows.resolved).load().resolved == rows.resolved);
}

TEST_CASE("axes of the command line come before the scenario's", "[scenario]") {
    const ScenarioFile file(with_axis("{keys: [run.in_flight], values: [1, 2]}"));
    const Scenario s = file.load(
        {}, {{{"system.link.loss"}, "0 %..2 %:1 %"}, {{"run.size", "system.rnic.drp.window"}, "[1 KiB, 4],[2 KiB,8]"}});
    REQUIRE(s.points.size() == 12);
    using Labels = std::vector<std::pair<std::string, std::string>>;
    CHECK(s.points[11].values ==
          Labels{{"system.link.loss", "2 %"}, {"run.size,system.rnic.drp.window", "2 KiB, 8"}, {"in_flight", "2"}});
    CHECK(s.points[2].values[1].second == "2 KiB, 8");
    CHECK(s.points[2].configs.front().traffic[0].size == 2048);
    CHECK(labels(file.load({}, {{{"system.host.memory.bandwidth"}, "800 MB/s..1.6 GB/s:800 MB/s"}})) ==
          Texts{"800 MB/s", "800 MB/s", "1600 MB/s", "1600 MB/s"});
    CHECK(labels(file.load({{"run.sweep", "null"}}, {{{"run.size"}, "1 B"}})) == Texts{"1 B"});
    const std::string resolved = s.resolved;
    CHECK(ScenarioFile(resolved).load().resolved == resolved);  // the same file name, so after the other's last use
}

TEST_CASE("a bad axis of the command line", "[scenario]") {
    const auto axis = [](const std::string& keys, const std::string& values) {
        return ScenarioFile(with_axis("{keys: [run.in_flight], values: [1, 2]}")).rejection({}, {{{keys}, values}});
    };
    const std::string loss = "system.link.loss";
    CHECK(axis("system.link.los", "1 %") ==
          "--axis: system.link.los: 'system.link.los' cannot be swept; did you mean 'system.link.loss'?");
    CHECK(axis(loss, "1 %,x") ==
          "--axis: system.link.loss: found 'x', expected a probability from 0 % to 100 %, such as 5 %");
    CHECK(axis(loss, "1 %,,2 %").starts_with("--axis: system.link.loss: "));
    CHECK(axis(loss, "1 %,1 %") == "--axis: system.link.loss: '1 %' is given twice, expected different values");
    for (const char* const bad : {"[1 %", "1 %]", "1 %],[2 %", "{", "1 %, \"2"}) {
        CHECK(axis(loss, bad) ==
              "--axis: system.link.loss: found '" + std::string(bad) + "', expected values with commas between them");
    }
    CHECK(axis(loss, "0 %..10 %") ==
          "--axis: system.link.loss: found '0 %..10 %', expected a range such as 0 %..10 %:1 %");
    CHECK(axis(loss, "0 %..10 %:3 %") ==
          "--axis: system.link.loss.step: found '3 %', expected a step that divides the distance from 0 % to 10 %");
    CHECK(axis(loss, "0 %..10 %:") ==
          "--axis: system.link.loss.step: found '', expected a number of at most 15 digits "
          "with a unit, such as 1 %");
    CHECK(axis("run.in_flight", "3,4") == "--axis: run.in_flight: 'run.in_flight' is on two axes, expected one");
    CHECK(axis("run.repetitions", "3,4") ==
          "--axis: run.repetitions: 'run.repetitions' cannot be swept, every point has the same");
    CHECK(ScenarioFile("{}\n").rejection({{"run.size", "1 B"}}, {{{"run.size"}, "1 B,2 B"}}) ==
          "--set: run.size: is swept by --axis too, expected one of them");
}

TEST_CASE("a published gain may stand at a value of a range, or at a row", "[scenario]") {
    const std::string range = with_range("system.link.loss", "from: 0 %, to: 2 %, step: 1 %");
    CHECK(rejection(range + "  reference: {source: x, gains: [{loss: 1 %, gain: 1 %}]}\n").empty());
    const std::string rows = with_axis("{name: p, keys: [system.link.loss, run.size], values: [[0 %, 1 B]]}");
    CHECK(rejection(rows + "  reference: {source: x, gains: [{p: '0 %, 1 B', gain: 1 %}]}\n").empty());
    CHECK(ScenarioFile(range + "  reference: {source: x, gains: [{loss: 1 %, gain: 1 %}]}\n")
              .rejection({}, {{{"run.size"}, "1 B,2 B"}})
              .empty());
}

}  // namespace
}  // namespace rnicsim
