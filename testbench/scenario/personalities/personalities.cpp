// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/personalities/plain.h"
#include "testbench/scenario/personalities/rc.h"

#include <algorithm>
#include <array>

namespace rnicsim {

const std::vector<const Personality*>& personalities() {
    static const std::vector<const Personality*> kAll{&drp_personality(), &plain_personality(), &rc_personality()};
    return kAll;
}

std::vector<std::string_view> personality_names() {
    std::vector<std::string_view> names;
    for (const Personality* one : personalities()) names.push_back(one->name());
    return names;
}

const Personality& personality_named(std::string_view name) {
    return **std::ranges::find(personalities(), name, &Personality::name);
}

const Personality& personality_of(const RunConfig& config, unsigned host) {
    return personality_named(config.hosts.at(host)->personality());
}

bool is_among(std::span<const std::string_view> keys, std::string_view rest) {
    return std::ranges::any_of(
        keys, [&](std::string_view key) { return key.ends_with('.') ? rest.starts_with(key) : rest == key; });
}

bool is_of_all_hosts(std::string_view rest) {
    constexpr std::array<std::string_view, 3> kAll{".count", ".rnic.personality", ".rnic.profile"};
    return is_among(kAll, rest);
}

}  // namespace rnicsim
