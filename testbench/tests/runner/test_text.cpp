// SPDX-License-Identifier: Apache-2.0
// Formatting that files depend on.
#include "testbench/cli/axes.h"
#include "testbench/cli/tree.h"
#include "testbench/results/text.h"

#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace rnicsim;
using namespace rnicsim::runner;

TEST_CASE("numbers are in fixed notation") {
    CHECK(fixed(1.5, 3) == "1.500");
    CHECK(fixed(1e9, 1) == "1000000000.0");
    CHECK(fixed(0.0000001, 6) == "0.000000");
    CHECK(fixed(-0.0000001, 6) == "0.000000");
    CHECK(fixed(-2.25, 2) == "-2.25");
    CHECK(fixed(1e300, 0).size() == 301);
    CHECK(fixed(std::numeric_limits<double>::quiet_NaN(), 3).empty());
}

TEST_CASE("CSV fields are quoted when they must be") {
    CHECK(csv_line({"a", "5 %", ""}) == "a,5 %,\n");
    CHECK(csv_field("[256, 512]") == "\"[256, 512]\"");
    CHECK(csv_field("say \"no\"") == "\"say \"\"no\"\"\"");
    CHECK(csv_field("two\nlines") == "\"two\nlines\"");
}

TEST_CASE("text helpers") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1234567) == "1,234,567");
    CHECK(duration(0.44) == "0.4 s");
    CHECK(duration(185) == "3 min 05 s");
    CHECK(duration(7380) == "2 h 03 min");
    CHECK(display_width("1 ± 2") == 5);
    CHECK(text_hash("") == "cbf29ce484222325");  // FNV-1a's published values
    CHECK(text_hash("a") == "af63dc4c8601ec8c");
}

TEST_CASE("a tree is drawn from indented text") {
    CHECK(draw_tree("root", "a:\n  b: 1\n  c:\n    d: 2\ne: 3\n") ==
          "root\n├─ a\n│  ├─ b: 1\n│  └─ c\n│     └─ d: 2\n└─ e: 3\n");
}

TEST_CASE("option --set is split at the first equals sign") {
    CHECK(parse_override("a.b = 5 %") == Override{"a.b", "5 %"});
    CHECK(parse_override("a=b=c") == Override{"a", "b=c"});
    CHECK_THROWS_AS(parse_override("a"), ScenarioError);
    CHECK_THROWS_AS(parse_override("=1"), ScenarioError);
}

TEST_CASE("option --axis is split into keys and the text of their values") {
    CHECK(parse_axis("k=1 %, 5 %").keys == std::vector<std::string>{"k"});
    CHECK(parse_axis("k=1 %, 5 %").values == "1 %, 5 %");
    CHECK(parse_axis(" k , l = [1, 2],[] ").keys == std::vector<std::string>{"k", "l"});
    CHECK(parse_axis(" k , l = [1, 2],[] ").values == "[1, 2],[]");
    CHECK(parse_axis("k,l=1").name() == "k,l");
    for (const char* const bad : {"k", "k=", "k= ", "=1", "k,=1", ",k=1", ""}) {
        INFO(bad);
        try {
            parse_axis(bad);
            FAIL("accepted");
        } catch (const ScenarioError& e) {
            CHECK(std::string(e.what()) == "--axis " + std::string(bad) +
                                               ": expected KEY=V1,V2,... or KEY=FROM..TO:STEP, e.g. --axis "
                                               "system.link.loss=\"0 %,1 %\"");
        }
    }
}
