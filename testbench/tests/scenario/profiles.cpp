// SPDX-License-Identifier: Apache-2.0
// Profiles are data: each choice of a preset has its own values, however many there are.
#include "testbench/scenario/profiles.h"
#include "testbench/scenario/profile_reader.h"
#include "testbench/scenario/scenario.h"
#include "testbench/scenario/schema.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rnicsim {
namespace {

/// A file with these values.
std::string file_with(const std::string& values) { return "key: system.rnic.profile\nname: mine\nvalues:\n" + values; }

std::string refusal_of(const std::string& text) {
    try {
        static_cast<void>(read_profile("mine.yaml", text));
    } catch (const ScenarioError& error) { return error.what(); }
    return "taken";
}

TEST_CASE("a further profile has its own values, and takes none from those before", "[scenario]") {
    const Preset preset{"system.rnic.profile",
                        {{"none"},
                         {"first"},
                         {"second", {{"system.rnic.rc.pmtu", "512 B"}, {"system.rnic.rc.timeout", "9"}}},
                         {"third", {{"system.rnic.rc.pmtu", "2 KiB"}, {"system.rnic.rc.retry_cnt", "3"}}}}};
    CHECK(preset.value("second", "system.rnic.rc.pmtu") == "512 B");
    CHECK(preset.value("third", "system.rnic.rc.pmtu") == "2 KiB");
    CHECK(preset.value("third", "system.rnic.rc.retry_cnt") == "3");
    CHECK(preset.value("third", "system.rnic.rc.timeout") == find_key("system.rnic.rc.timeout")->fallback);
    CHECK(preset.value("first", "system.rnic.rc.pmtu") == find_key("system.rnic.rc.pmtu")->fallback);
    CHECK_FALSE(preset.value("none", "system.rnic.rc.pmtu"));
    CHECK_FALSE(preset.value("third", "system.rnic.rc.window"));
    CHECK_THROWS_AS(preset.value("fourth", "system.rnic.rc.pmtu"), std::logic_error);
}

TEST_CASE("what a preset says is a key and a value that the reader takes", "[scenario]") {
    for (const Preset& preset : presets()) {
        for (const Preset::Choice& choice : preset.choices) {
            for (const Preset::Setting& setting : choice.settings) {
                INFO(preset.key << ": " << choice.name << ": " << setting.path << ": " << setting.value);
                const Key* const key = find_key(setting.path);
                REQUIRE(key != nullptr);
                Value value;
                std::string expected;
                CHECK(read_value(*key, setting.value, value, expected));
                CHECK_FALSE(setting.source.empty());
            }
        }
        const auto decided_by = [&](std::string_view path) {
            return std::ranges::count_if(presets(), [&](const Preset& one) { return one.decides(path); });
        };
        for (const Preset::Choice& choice : preset.choices) {
            for (const Preset::Setting& setting : choice.settings) CHECK(decided_by(setting.path) == 1);
        }
    }
}

TEST_CASE("a profile's file has a source for each value, and is refused without", "[scenario]") {
    const Profile profile = read_profile("mine.yaml", file_with("  rnic.rc.pmtu: {value: 512 B, source: measured}\n"));
    CHECK(profile.key == "system.rnic.profile");
    CHECK(profile.choice.name == "mine");
    REQUIRE(profile.choice.settings.size() == 1);
    CHECK(profile.choice.settings[0].path == "system.rnic.rc.pmtu");
    CHECK(profile.choice.settings[0].value == "512 B");
    CHECK(profile.choice.settings[0].source == "measured");
    const std::string wanted = "expected {value: ..., source: \"...\"}";
    for (const char* const wrong :
         {"  rnic.rc.pmtu: 512 B\n", "  rnic.rc.pmtu: {value: 512 B}\n", "  rnic.rc.pmtu: {source: measured}\n",
          "  rnic.rc.pmtu: {value: 512 B, source: \"\"}\n", "  rnic.rc.pmtu: {value: 512 B, source: \" \"}\n",
          "  rnic.rc.pmtu: {value: [512 B], source: measured}\n",
          "  rnic.rc.pmtu: {value: 512 B, source: measured, unit: B}\n", "  rnic: {rc: {pmtu: 512 B}}\n"}) {
        const std::string refusal = refusal_of(file_with(wrong));
        INFO(wrong << refusal);
        CHECK(refusal.starts_with("mine.yaml:4:"));
        CHECK(refusal.find(": values.rnic") != std::string::npos);
        CHECK(refusal.ends_with(wanted));
    }
}

TEST_CASE("what is no profile is refused with its place", "[scenario]") {
    const std::string good = file_with("  rnic.rc.pmtu: {value: 512 B, source: x}\n");
    CHECK(refusal_of(good) == "taken");
    const std::string product = good + "product: {pci_vendor: {value: 65536, source: x}}\n";
    CHECK(refusal_of(product) ==
          "mine.yaml:5:31: product.pci_vendor: found '65536', expected a number of at most 65535");
    CHECK(refusal_of(good + "product: {mlx5_errors: {value: yes, source: x}}\n") ==
          "mine.yaml:5:32: product.mlx5_errors: found 'yes', expected true or false");
    CHECK(refusal_of(good + "product: {colour: {value: 1, source: x}}\n") ==
          "mine.yaml:5:11: product.colour: unknown, expected vendor, part, pci_vendor, pci_device, most_inline or "
          "mlx5_errors");
    CHECK(refusal_of("key: system.rnic.profile\n") == "mine.yaml:1:1: expected key, name and values");
    CHECK(refusal_of("") == "mine.yaml:1:1: expected key, name and values");
    CHECK(refusal_of("# nothing\n") == "mine.yaml:1:1: expected key, name and values");
    CHECK(refusal_of("- key\n") == "mine.yaml:1:1: expected key, name and values");
    CHECK(refusal_of("key: a\nname: mine\n") == "mine.yaml:1:1: expected key, name and values");
    CHECK(refusal_of("key: a\nname: mine\nvalues:\n") == "mine.yaml:3:1: values: found nothing, expected a value");
    CHECK(refusal_of(good + "colour: red\n") ==
          "mine.yaml:5:1: colour: unknown, expected key, name, product or values");
    CHECK(refusal_of(good + "name: other\n") == "mine.yaml:5:1: name: given twice, expected once");
    CHECK(refusal_of(good + "  rnic.rc.pmtu: {value: 1 KiB, source: x}\n") ==
          "mine.yaml:5:3: values.rnic.rc.pmtu: given twice, expected once");
    CHECK(refusal_of("key: {a: b}\nname: mine\n") == "mine.yaml:1:6: key: found a section, expected a key");
    CHECK(refusal_of("key: a\nname: mine\nvalues: {}\n") ==
          "mine.yaml:3:9: values: found an empty section, expected keys such as rnic.rc.pmtu");
    CHECK(refusal_of(file_with("  rnic.rc.pmtu: {value: ~, source: x}\n")) ==
          "mine.yaml:4:18: values.rnic.rc.pmtu.value: found nothing, expected a value");
    for (const std::string name : {"Mine", "my-nic", "my nic", "\"\"", "[a]", "n\u00ef", "{}"}) {
        const std::string refusal = refusal_of("key: a\nname: " + name + "\n");
        INFO(refusal);
        CHECK(refusal.starts_with("mine.yaml:2:7: name: found "));
        CHECK(refusal.ends_with(", expected a word of a-z, 0-9 and _"));
    }
    CHECK(refusal_of("key: {\n").starts_with("mine.yaml:2:1: not YAML: "));
    CHECK(refusal_of(good + "---\n").ends_with("a second YAML document begins, expected one"));
}

}  // namespace
}  // namespace rnicsim
