// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/personalities/drp/drp.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/personalities/plain/plain.h"
#include "testbench/scenario/personalities/rc/rc.h"
#include "testbench/scenario/run_fields.h"

#include <algorithm>
#include <string>

namespace rnicsim {

const std::vector<const Personality*>& personalities() {
    static const std::vector<const Personality*> kAll{
        &drp_personality(),
        &plain_personality(),
        &rc_personality(),
    };
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
    const std::string path = common_path("system.hosts.*" + std::string(rest));
    static const Declarations kOfAll = host_declarations();
    const auto is_it = [&](const Declared& one) { return one.key.path == path; };
    return std::ranges::any_of(kOfAll, is_it) || std::ranges::any_of(keys_, is_it);
}

}  // namespace rnicsim
