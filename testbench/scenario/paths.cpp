// SPDX-License-Identifier: Apache-2.0
// Paths of keys: of all items, of one item of a network, of one of two ends.
#include "testbench/scenario/personalities/drp/block_keys.h"
#include "testbench/scenario/schema.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace rnicsim {

std::optional<ItemPath> item_path(std::string_view path) {
    constexpr std::array<std::pair<std::string_view, Owner>, 5> kSections{{{"system.hosts.", Owner::host},
                                                                           {"system.switches.", Owner::network_switch},
                                                                           {"system.links.", Owner::link},
                                                                           {"system.bridges.", Owner::bridge},
                                                                           {"run.traffic.", Owner::traffic}}};
    for (const auto& [section, owner] : kSections) {
        if (!path.starts_with(section)) continue;
        const std::size_t end = std::min(path.find('.', section.size()), path.size());
        if (end == section.size()) return std::nullopt;
        return ItemPath{owner, path.substr(0, end), path.substr(section.size(), end - section.size()),
                        path.substr(end)};
    }
    return std::nullopt;
}

std::string path_in(std::string_view level, std::string_view common) {
    const auto item = item_path(level);
    if (!item) return path_of_end(common, level);
    if (owner_of(common) != item->owner) return std::string(common);
    if (common == "system.hosts.*.count") return std::string(level) + ".count";
    const std::size_t section = item->owner == Owner::traffic || item->owner == Owner::host
                                    ? common.find('.')
                                    : common.find('.', common.find('.') + 1);
    return std::string(level) + std::string(common.substr(section));
}

std::string common_path(std::string_view path) {
    if (const auto item = item_path(path)) {
        if (item->owner == Owner::host && item->rest == ".count") return "system.hosts.*.count";
        switch (item->owner) {
            case Owner::host: return "system" + std::string(item->rest);
            case Owner::network_switch: return "system.switch" + std::string(item->rest);
            case Owner::link: return "system.link" + std::string(item->rest);
            case Owner::bridge: return "system.bridge" + std::string(item->rest);
            case Owner::traffic:
            case Owner::run: return "run" + std::string(item->rest);
        }
    }
    for (const std::string_view section : {"system.", "simulation."}) {
        if (!path.starts_with(section) || path.size() == section.size()) continue;
        const std::string_view rest = path.substr(section.size());
        if (rest[0] != 'a' && rest[0] != 'b') continue;
        if (rest.size() == 1) return std::string(section.substr(0, section.size() - 1));
        if (rest[1] == '.') return std::string(section) + std::string(rest.substr(2));
    }
    return std::string(path);
}

std::string path_of_end(std::string_view common, std::string_view end) {
    if (!may_differ_by_end(common)) return std::string(common);
    const std::size_t dot = common.find('.');
    return std::string(common.substr(0, dot + 1)) + std::string(end) + std::string(common.substr(dot));
}

bool may_differ_by_end(std::string_view common) {
    if (common.starts_with("system.host.") || common.starts_with("system.rnic.")) return true;
    return is_block_key(common);
}

std::string mix_key(rc::Verb verb) { return "run.mix." + std::string(rc::verb_name(verb)); }

}  // namespace rnicsim
