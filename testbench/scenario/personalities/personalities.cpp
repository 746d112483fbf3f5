// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/personalities/plain.h"
#include "testbench/scenario/personalities/rc.h"

#include <algorithm>
#include <array>
#include <string>

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

bool Personality::has_key(std::string_view rest) const {
    constexpr std::array<std::string_view, 3> kOfAll{".count", ".rnic.personality", ".rnic.profile"};
    if (std::ranges::find(kOfAll, rest) != kOfAll.end()) return true;
    const std::string path = "system" + std::string(rest);
    return std::ranges::any_of(keys_, [&](const Declared& one) { return one.key.path == path; });
}

}  // namespace rnicsim
