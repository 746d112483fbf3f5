// SPDX-License-Identifier: Apache-2.0
// run.variants, run.methods and run.compare.
#include "model/rnic/drp/end/end_config.h"
#include "model/rnic/rc/end/end_config.h"
#include "testbench/tests/scenario/scenario_file.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace rnicsim {
namespace {

const std::string kHosts =
    "system:\n  rnic: {profile: cx5_100g}\n  hosts: {a: {}, b: {}}\n  links: [{between: [a, b]}]\n"
    "run:\n  traffic: [{from: a, to: b}]\n";

/// Two hosts with RoCEv2 RNICs, and these lines of `run`.
std::string with(const std::string& lines) { return kHosts + lines; }

const std::string kTwo =
    "  variants:\n    back: {system.rnic.rc.retransmission: go_back_n}\n"
    "    only: {system.rnic.rc.retransmission: selective_repeat, system.link.loss: 1 %}\n";

using Names = std::vector<std::string>;

TEST_CASE("each variant is the scenario with its own keys", "[scenario]") {
    const Scenario s = ScenarioFile(with(kTwo)).load();
    CHECK(s.variants.word == "variant");
    CHECK(s.variants.names == Names{"back", "only"});
    REQUIRE(s.variants.compare);
    CHECK(s.variants.compare->base == 0);
    CHECK(s.variants.compare->against == 1);
    CHECK(s.variants.compare->of == Statistic::mean);
    REQUIRE(s.points.at(0).configs.size() == 2);
    const RunConfig back = run_config(s, 0, 0, 0), only = run_config(s, 0, 1, 2);
    CHECK(back.variant == "back");
    CHECK(only.variant == "only");
    CHECK(only.repetition == 2);
    CHECK(verbs_of(back, 0).card.transport.retransmission->name() == "go_back_n");
    CHECK(verbs_of(only, 1).card.transport.retransmission->name() == "selective_repeat");
    CHECK(back.links[0].loss == 0);
    CHECK(only.links[0].loss == 0.01);
}

TEST_CASE("variants are of every point of a sweep", "[scenario]") {
    const Scenario s = ScenarioFile(with(kTwo)).load({}, {AxisOption{{"run.size"}, "8 B, 4 KiB"}});
    REQUIRE(s.points.size() == 2);
    for (const SweepPoint& point : s.points) CHECK(point.configs.size() == 2);
    CHECK(s.points[1].configs[1].traffic[0].size == 4096);
    CHECK(s.points[1].configs[1].links[0].loss == 0.01);
}

TEST_CASE("one variant compares nothing, an empty one is the scenario itself", "[scenario]") {
    const Scenario one = ScenarioFile(with("  variants: {lone: {system.link.loss: 1 %}}\n")).load();
    CHECK(one.variants.names == Names{"lone"});
    CHECK_FALSE(one.variants.compare);
    const Scenario two = ScenarioFile(with("  variants: {plain: {}, other: null}\n")).load();
    CHECK(two.points[0].configs[0].links[0].loss == two.points[0].configs[1].links[0].loss);
}

TEST_CASE("a comparison names two of three, and what it is of", "[scenario]") {
    const std::string three = "  variants: {x: {}, y: {system.link.loss: 1 %}, z: {system.link.loss: 2 %}}\n";
    const Scenario s = ScenarioFile(with(three + "  compare: {base: z, against: y, of: p99_us}\n")).load();
    CHECK(s.variants.compare->base == 2);
    CHECK(s.variants.compare->against == 1);
    CHECK(s.variants.compare->of == Statistic::p99);
    const Scenario by_default = ScenarioFile(with(three + "  compare: {of: goodput_gbps}\n")).load();
    CHECK(by_default.variants.compare->base == 0);
    CHECK(by_default.variants.compare->against == 2);
}

TEST_CASE("methods are variants of one key, whose gain is that of dynamic", "[scenario]") {
    for (const char* const order : {"[traditional, dynamic]", "[dynamic, traditional]"}) {
        const Scenario s = ScenarioFile(std::string("run: {methods: ") + order + "}\n").load();
        CHECK(s.variants.word == "method");
        REQUIRE(s.variants.compare);
        CHECK(s.variants.names.at(s.variants.compare->base) == "traditional");
        CHECK(s.variants.names.at(s.variants.compare->against) == "dynamic");
        for (std::size_t i = 0; i < 2; ++i) {
            const Method method = drp_of(run_config(s, 0, i, 0), 1).rnic.transport.method;
            CHECK(method_name(method) == s.variants.names[i]);
        }
    }
}

TEST_CASE("variants of DRP may be of its method, or of anything else", "[scenario]") {
    const Scenario s = ScenarioFile(
                           "run:\n  variants: {direct: {system.rnic.drp.method: traditional},\n"
                           "    wide: {system.rnic.drp.window: 16}}\n")
                           .load();
    CHECK(drp_of(s.points[0].configs[0], 0).rnic.transport.method == Method::traditional);
    CHECK(drp_of(s.points[0].configs[1], 1).rnic.transport.method == Method::dynamic);
    CHECK(drp_of(s.points[0].configs[1], 1).rnic.transport.window == 16);
}

TEST_CASE("the listing of variants is a scenario with the same meaning", "[scenario]") {
    const Scenario first = ScenarioFile(with(kTwo + "  compare: {base: only, against: back, of: median_us}\n")).load();
    CHECK(first.resolved.find("selective_repeat") != std::string::npos);
    const Scenario again = ScenarioFile(first.resolved).load();
    CHECK(again.resolved == first.resolved);
    CHECK(again.variants.names == first.variants.names);
    CHECK(again.variants.compare->base == 1);
    CHECK(again.points[0].configs[1].links[0].loss == 0.01);
    CHECK(first.composition.find("only") != std::string::npos);
}

TEST_CASE("what a variant's preset gives is not written into the listing", "[scenario]") {
    const std::string nic =
        "  variants: {paper: {system.rnic.rc.congestion: dcqcn, system.rnic.rc.nak_cnp: true}, nic: "
        "{system.rnic.rc.congestion: dcqcn, "
        "system.link.ecn_marking: 1 %, system.rnic.rc.dcqcn.parameters: nic}}\n";
    const Scenario first = ScenarioFile(with(nic)).load();
    const Scenario again = ScenarioFile(first.resolved).load();
    for (const Scenario* const s : {&first, &again}) {
        CHECK(verbs_of(s->points[0].configs[0], 0).card.transport.dcqcn.fast_recovery == 5);
        CHECK(verbs_of(s->points[0].configs[1], 0).card.transport.dcqcn.fast_recovery == 1);
    }
}

TEST_CASE("variants that are none, each with its place", "[scenario]") {
    const auto said = [](const std::string& lines) { return rejection(with(lines)); };
    CHECK(said("  variants: {}\n").starts_with("FILE:7:13: run.variants: found a section, expected names"));
    CHECK(said("  variants: [x]\n").starts_with("FILE:7:13: run.variants: found a list, expected names with keys"));
    CHECK(said("  variants: {x: 1}\n").starts_with("FILE:7:17: run.variants.x: found '1', expected keys"));
    CHECK(said("  variants: {x: {}, x: {}}\n").find("given twice, expected once") != std::string::npos);
    CHECK(said("  variants: {a b: {}}\n").starts_with("FILE:7:14: run.variants: found 'a b', expected a name of at "));
    CHECK(said("  variants: {none: {}}\n").starts_with("FILE:7:14: run.variants: found 'none', expected a name"));
    CHECK(said("  variants: {x: {system.link.los: 1 %}}\n") ==
          "FILE:7:18: run.variants.x: 'system.link.los' is no key; did you mean 'system.link.loss'?");
    CHECK(
        said("  variants: {x: {system.link.loss: 1}}\n").starts_with("FILE:7:36: run.variants.x: system.link.loss: "));
    CHECK(said("  variants: {x: {run.repetitions: 2}}\n") ==
          "FILE:7:18: run.variants.x: 'run.repetitions' is the same for all variants");
    CHECK(said("  variants: {x: {simulation.seed: 2}}\n") ==
          "FILE:7:18: run.variants.x: 'simulation.seed' is the same for all variants");
    CHECK(said("  variants: {x: {system.hosts.a.count: 2}}\n").find("is the same for all variants") !=
          std::string::npos);
    CHECK(said("  variants: {x: {system.hosts.c.rnic.rc.window: 2}}\n").find("'c'") != std::string::npos);
    // What a variant makes of the scenario is checked as that would be, and said to be the variant's.
    CHECK(said("  size: 4 KiB\n  variants: {x: {run.operation: fetch_add}, y: {}}\n") ==
          "FILE:7:9: run.size: found '4 KiB', expected 8 B: atomics change eight bytes (in variant 'x')");
    CHECK(said("  variants: {x: {}, y: {system.rnic.rc.pmtu: 4096 B, system.rnic.gmac.mtu: 1500 B}}\n")
              .starts_with("FILE:7:"));
}

TEST_CASE("variants can be taken away", "[scenario]") {
    const Scenario s = ScenarioFile(with(kTwo)).load({{"run.variants", "null"}});
    CHECK(s.variants.names.size() == 1);
    CHECK_FALSE(s.variants.named());
}

TEST_CASE("methods beside variants, and keys that both set, are refused", "[scenario]") {
    const std::string both = "run:\n  methods: [dynamic]\n  variants: {x: {}}\n";
    CHECK(rejection(both) ==
          "FILE:3:13: run.variants: stands beside run.methods, expected one of them: methods are variants of "
          "system.rnic.drp.method");
    CHECK(rejection("run:\n  variants: {x: {}}\n  methods: [dynamic]\n")
              .starts_with("FILE:3:12: run.methods: stands beside run.variants"));
    CHECK(rejection("run: {variants: {x: {}}}\n", {{"run.methods", "[dynamic]"}})
              .starts_with("--set: run.methods: stands beside run.variants"));
    CHECK(rejection(with(kTwo), {{"system.rnic.rc.retransmission", "go_back_0"}}) ==
          "--set: system.rnic.rc.retransmission: has no effect, run.variants sets it; expected one of them");
    CHECK(rejection(with(kTwo), {{"system.link.loss", "3 %"}}).empty());  // `back` has it
    CHECK(ScenarioFile(with(kTwo))
              .rejection({}, {AxisOption{{"system.link.loss"}, "1 %, 2 %"}})
              .find("is swept by axis") != std::string::npos);
    CHECK(rejection("system: {rnic: {drp: {method: dynamic}}}\nrun: {methods: [traditional]}\n") ==
          "FILE:1:31: system.rnic.drp.method: has no effect, run.methods sets it; expected one of them");
}

TEST_CASE("comparisons that are none, each with its place", "[scenario]") {
    const auto said = [](const std::string& compare) { return rejection(with(kTwo + "  compare: " + compare + "\n")); };
    CHECK(said("only").starts_with("FILE:10:12: run.compare: found 'only', expected {base: NAME"));
    CHECK(said("{with: only}").starts_with("FILE:10:13: run.compare.with: unknown key"));
    CHECK(said("{base: onlly}") ==
          "FILE:10:12: run.compare.base: found 'onlly', expected one of run.variants: back, only");
    CHECK(said("{base: only}").starts_with("FILE:10:12: run.compare: base and against are one"));
    CHECK(
        said("{of: speed}").starts_with("FILE:10:12: run.compare.of: found 'speed', expected one of mean_us, min_us"));
    CHECK(rejection(with("  compare: {of: p99_us}\n")).starts_with("FILE:7:12: run.compare: has no effect"));
}

TEST_CASE("a scenario that says its method itself has no others beside it", "[scenario]") {
    const Scenario one = ScenarioFile("system: {rnic: {drp: {method: traditional}}}\n").load();
    CHECK(one.variants.names == Names{"none"});
    CHECK(drp_of(one.points[0].configs[0], 1).rnic.transport.method == Method::traditional);
    CHECK(ScenarioFile(one.resolved).load().resolved == one.resolved);
    const Scenario swept =
        ScenarioFile("run: {}\n").load({}, {AxisOption{{"system.rnic.drp.method"}, "dynamic, traditional"}});
    REQUIRE(swept.points.size() == 2);
    CHECK(drp_of(swept.points[1].configs[0], 0).rnic.transport.method == Method::traditional);
}

TEST_CASE("hosts may have methods of their own", "[scenario]") {
    const auto two = [](const std::string& own, const std::string& methods) {
        return "system:\n  hosts: {a: " + own + ", b: {rnic: {drp: {method: traditional}}}}\n" +
               "  links: [{between: [a, b]}]\nrun:\n  traffic: [{from: a, to: b}]\n" + methods;
    };
    const Scenario both = ScenarioFile(two("{}", "  methods: [traditional, dynamic]\n")).load();
    CHECK(both.variants.names == Names{"traditional", "dynamic"});
    CHECK(drp_of(both.points[0].configs[1], 0).rnic.transport.method == Method::dynamic);
    CHECK(drp_of(both.points[0].configs[1], 1).rnic.transport.method == Method::traditional);
    CHECK(ScenarioFile(both.resolved).load().resolved == both.resolved);
    const Scenario one = ScenarioFile("system: {b: {rnic: {drp: {method: traditional}}}}\n").load();
    CHECK(one.variants.names == Names{"none"});
    CHECK(drp_of(one.points[0].configs[0], 0).rnic.transport.method == Method::dynamic);
    CHECK(drp_of(one.points[0].configs[0], 1).rnic.transport.method == Method::traditional);
    CHECK(ScenarioFile(one.resolved).load().resolved == one.resolved);
    // What a traditional host does not read it need not agree about, and is refused where it has it.
    const auto with = [&](const std::string& transport, const std::string& more) {
        return rejection("system:\n  rnic: {drp: {" + transport + "}}\n" +
                         two("{rnic: {drp: {method: dynamic" + more + "}}}", "").substr(8));
    };
    CHECK(with("window: 4", ", resume_rule: told").empty());
    CHECK_FALSE(with("window: 4", ", busy_answer: true").empty());
    CHECK(with("buffer_admission: per_initiator", "").empty());
    CHECK(rejection(two("{}", ""), {{"system.rnic.drp.buffer_admission", "per_initiator"},
                                    {"system.hosts.b.rnic.drp.buffer_quota", "4"}}) ==
          "--set: system.hosts.b.rnic.drp.buffer_quota: has no effect: the method is traditional, expected "
          "system.hosts.b.rnic.drp.method: dynamic");
    // A traditional writer does not send early, whatever the far end is.
    const std::string slow = "system: {link: {delay: 1 ms}, rnic: {drp: {data_timer: 8 us}}, ";
    CHECK(rejection(slow + "a: {rnic: {drp: {method: traditional}}}}\n").find("data_timer: found '8 us'") !=
          std::string::npos);
    CHECK(rejection(slow + "b: {rnic: {drp: {method: traditional}}}}\n").empty());
    // Nobody takes the method of the variants.
    const std::string dynamic = "{rnic: {drp: {method: dynamic}}}";
    CHECK(rejection(two(dynamic, "  methods: [traditional, dynamic]\n"))
              .starts_with("FILE:6:12: run.methods: has no effect: system.hosts.a.rnic.drp.method"));
    CHECK_FALSE(rejection(two(dynamic, "  methods: [dynamic]\n")).empty());
    CHECK(rejection("system: {a: " + dynamic + ", b: " + dynamic + "}\nrun: {methods: [dynamic]}\n")
              .starts_with("FILE:2:16: system.rnic.drp.method: has no effect, both ends have a value"));
}

}  // namespace
}  // namespace rnicsim
