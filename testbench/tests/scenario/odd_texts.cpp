// SPDX-License-Identifier: Apache-2.0
// Odd texts, found by fuzzing (testbench/tests/fuzz). Each is refused quickly, with one line.
#include <catch2/catch_test_macros.hpp>

#include "testbench/tests/scenario/scenario_file.h"

namespace rnicsim {
namespace {

TEST_CASE("text behind the document is refused, also where the YAML library would loop", "[scenario]") {
    CHECK(rejection("#\n,") == "FILE:2:1: a second YAML document begins, expected one");
    CHECK(rejection("run: {}\n--- ,\n") == "FILE:2:5: a second YAML document begins, expected one");
    CHECK(rejection("run: {}\n", {{"run.size", "\"1 KiB\" }"}}).starts_with("--set: "));
    CHECK(rejection("run: {}\n", {{"run.size", "1 KiB\n--- 2 KiB"}}) ==
          "--set: a second YAML document begins, expected one");
}

TEST_CASE("an alias may stand for a value, but not hold itself nor multiply", "[scenario]") {
    CHECK(rejection("system: {link: {loss: &p 1 %}, host: {registration: {failure: *p}}}\n").empty());
    CHECK(rejection("run: &all {sweep: [*all]}\n") ==
          "FILE:1:6: sections or lists lie too deep in each other, expected at most 32");
    std::string text = "l0: &l0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
    for (int level = 1; level < 12; ++level) {
        const std::string below = "*l" + std::to_string(level - 1);
        const std::string name = 'l' + std::to_string(level);
        text += name + ": &" + name + " [" + below + ", " + below + ", " + below + ", " + below + "]\n";
    }
    CHECK(rejection(text).ends_with("too many values, expected at most 100000"));
    CHECK(rejection("run: {}\n", {{"run.sweep", "&all [*all]"}}).starts_with("--set: sections or lists lie too deep"));
}

TEST_CASE("a key given twice is found however it is written, and a key has a name", "[scenario]") {
    CHECK(rejection("run.size: 1 KiB\nrun: {size: 2 KiB}\n") == "FILE:2:7: run.size: given twice, expected once");
    CHECK(rejection("system.link: {loss: 1 %}\nsystem: {link: {loss: 2 %}}\n") ==
          "FILE:2:10: system.link: given twice, expected once");
    CHECK(rejection("'': {run: {size: 1 KiB}}\n") == "FILE:1:1: found '' as a key, expected a name");
}

TEST_CASE("a message is one line, whatever was written", "[scenario]") {
    CHECK(
        rejection("run: {operation: \"a\\nb\\e\"}\n").starts_with("FILE:1:18: run.operation: found 'a\\x0Ab\\x1B', "));
    CHECK(rejection("run:\n  sweep:\n    - {name: \"a\\tb\", keys: [system.link.loss], values: [1 %]}\n") ==
          "FILE:3:14: run.sweep[0].name: found 'a\\x09b', expected one line of text");
}

TEST_CASE("an unknown path is told from its first wrong part on", "[scenario]") {
    CHECK(rejection("run: {}\n", {{"sytem.link.loss", "5 %"}}) ==
          "--set: sytem.link.loss: unknown key; did you mean 'system'?");
    CHECK(rejection("run: {}\n", {{"system.lnk.loss", "5 %"}}) ==
          "--set: system.lnk.loss: unknown key; did you mean 'link'?");
    CHECK(rejection("run: {}\n", {{"system.link.loss.x", "5 %"}}) ==
          "--set: system.link.loss.x: unknown key; 'system.link.loss' has no keys below it");
}

TEST_CASE("a number of too many digits is out of range", "[scenario]") {
    CHECK(rejection("run: {transfers: 99999999999999999999999}\n")
              .starts_with("FILE:1:18: run.transfers: found '99999999999999999999999', expected 1 to "));
}

TEST_CASE("a text that could not be written again is refused: it would come back as another", "[scenario]") {
    const auto named = [](const std::string& name) {
        return rejection("run:\n  sweep:\n    - {name: \"" + name + "\", keys: [system.link.loss], values: [1 %]}\n");
    };
    CHECK(named("Verlust \u00FC \u2264").empty());
    for (const std::string bad : {"\xA0"
                                  "after",
                                  "\xC3", "\xED\xA0\x80", "\xEF\xBF\xBF"}) {
        CHECK(named(bad) == "FILE:3:14: a text that is not UTF-8, expected Unicode characters");
    }
    CHECK(rejection("run: {reference: {source: \"\xFF\", gains: []}}\n").starts_with("FILE:1:27: a text that is not"));
    CHECK(rejection("run: {}\n", {{"run.size", "\xFF"}}).starts_with("--set: a text that is not UTF-8"));
}

}  // namespace
}  // namespace rnicsim
