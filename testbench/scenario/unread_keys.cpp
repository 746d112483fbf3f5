// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/unread_keys.h"

#include "testbench/scenario/personalities/personality.h"

#include <algorithm>

namespace rnicsim {
namespace {

std::span<const UnreadRule> rules_of(Owner owner, const Part& part) {
    switch (owner) {
        case Owner::link: return unread_of_links();
        case Owner::network_switch: return unread_of_switches();
        case Owner::traffic: return unread_of_items();
        case Owner::bridge: return unread_of_bridges();
        case Owner::run: return {};
        case Owner::host: break;
    }
    return personality_of(part.config, static_cast<unsigned>(part.number)).unread();
}

bool is_of(const UnreadRule& rule, std::string_view key) {
    return rule.keys.ends_with('.') ? key.starts_with(rule.keys) : key == rule.keys;
}

}  // namespace

const UnreadRule* find_unread(Owner owner, const Part& part, std::string_view key, Purpose purpose) {
    for (const UnreadRule& rule : rules_of(owner, part)) {
        const bool of_programs =
            rule.but == But::programs || rule.but == But::file || rule.but == But::programs_or_tape;
        const bool of_tape = rule.but == But::tape || rule.but == But::programs_or_tape;
        if ((of_programs && purpose.programs) || (of_tape && purpose.tape)) continue;
        if (is_of(rule, key) && rule.unread(part)) return &rule;
    }
    return nullptr;
}

bool may_be_paused(const RunConfig& config, const Node& node) {
    return std::ranges::any_of(config.links, [&](const LinkConfig& link) {
        for (const unsigned side : {0U, 1U}) {
            const Node& here = link.between.at(side);
            const Node& there = link.between.at(1 - side);
            if (here.kind == node.kind && here.index == node.index && there.kind == Node::Kind::network_switch &&
                config.switches[there.index].pfc.classes != 0)
                return true;
        }
        return false;
    });
}

}  // namespace rnicsim
