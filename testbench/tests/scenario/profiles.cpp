// SPDX-License-Identifier: Apache-2.0
// Profiles are data: each choice of a preset has its own values, however many there are.
#include "testbench/scenario/profiles.h"
#include "testbench/scenario/schema.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace rnicsim {
namespace {

constexpr std::array<Preset::Setting, 2> kSecond{{{"system.rnic.rc.pmtu", "512 B"}, {"system.rnic.rc.timeout", "9"}}};
constexpr std::array<Preset::Setting, 2> kThird{{{"system.rnic.rc.pmtu", "2 KiB"}, {"system.rnic.rc.retry_cnt", "3"}}};
constexpr std::array<Preset::Choice, 4> kChoices{{{"none", {}}, {"first", {}}, {"second", kSecond}, {"third", kThird}}};

TEST_CASE("a further profile has its own values, and takes none from those before", "[scenario]") {
    const Preset preset{"system.rnic.profile", kChoices};
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
            for (const auto& [path, text] : choice.settings) {
                INFO(preset.key << ": " << choice.name << ": " << path << ": " << text);
                const Key* const key = find_key(path);
                REQUIRE(key != nullptr);
                Value value;
                std::string expected;
                CHECK(read_value(*key, std::string(text), value, expected));
            }
        }
        const auto decided_by = [&](std::string_view path) {
            return std::ranges::count_if(presets(), [&](const Preset& one) { return one.decides(path); });
        };
        for (const Preset::Choice& choice : preset.choices) {
            for (const auto& [path, text] : choice.settings) CHECK(decided_by(path) == 1);
        }
    }
}

}  // namespace
}  // namespace rnicsim
