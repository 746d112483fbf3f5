// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/schema.h"

#include "model/network/link/fields.h"
#include "model/network/switch/fields.h"
#include "model/ntb/fields.h"
#include "testbench/scenario/applications.h"
#include "testbench/scenario/personalities/drp/block_keys.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/run_fields.h"
#include "testbench/scenario/traffic_fields.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace rnicsim {
namespace {

bool starts_with_section(std::string_view path, std::string_view section) {
    return path.size() > section.size() && path.starts_with(section) && path[section.size()] == '.';
}

/// Do two declarations of one key say the same? Kinds of hosts may share a key.
bool agree(const Key& a, const Key& b) {
    return a.kind == b.kind && a.fallback == b.fallback && a.least == b.least && a.most == b.most &&
           a.choices == b.choices && a.meaning == b.meaning && a.source == b.source && a.network == b.network &&
           a.owner == b.owner;
}

/// Behind the last key of its section, or else of the nearest section around it.
std::vector<Key>::const_iterator place_of(const std::vector<Key>& all, std::string_view path) {
    while (true) {
        const std::size_t dot = path.rfind('.');
        if (dot == std::string_view::npos) return all.end();
        path = path.substr(0, dot);
        const auto last =
            std::find_if(all.rbegin(), all.rend(), [&](const Key& key) { return starts_with_section(key.path, path); });
        if (last != all.rend()) return last.base();
    }
}

void add(std::vector<Key>& all, const Declarations& declarations, Owner owner) {
    for (const Declared& one : declarations) {
        Key key = one.key;
        key.owner = owner;
        key.fallback = write_value(key, one.initial);
        const auto known = std::ranges::find(all, key.path, &Key::path);
        if (known == all.end()) {
            all.insert(place_of(all, key.path), std::move(key));
        } else if (!agree(*known, key)) {
            throw std::logic_error("two declarations of " + key.path + " differ");
        }
    }
}

template <typename Config>
void add(std::vector<Key>& all, const Fields<Config>& fields, Owner owner) {
    Declarations declarations;
    append(declarations, fields);
    add(all, declarations, owner);
}

std::vector<Key> collect() {
    std::vector<Key> all;
    add(all, link_fields(), Owner::link);
    add(all, switch_fields(), Owner::network_switch);
    add(all, ntb::fields(), Owner::bridge);
    add(all, host_declarations(), Owner::host);
    for (const Personality* one : personalities()) add(all, one->keys(), Owner::host);
    add(all, block_declarations(), Owner::run);
    add(all, run_fields(), Owner::run);
    add(all, traffic_fields(), Owner::traffic);
    for (const ListedApplication& one : all_applications())
        if (one.protocol != nullptr) add(all, one.protocol->keys(), Owner::traffic);
    add(all, other_run_declarations(), Owner::run);
    return all;
}

struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Index = std::unordered_map<std::string_view, const Key*, Hash, std::equal_to<>>;

const Key* declared_key(std::string_view common) {
    static const Index kIndex = [] {
        Index index;
        for (const Key& key : all_keys()) index.emplace(key.path, &key);
        return index;
    }();
    const auto found = kIndex.find(common);
    return found == kIndex.end() ? nullptr : found->second;
}

}  // namespace

std::span<const Key> all_keys() {
    static const std::vector<Key> kKeys = collect();
    return kKeys;
}

Owner owner_of(std::string_view common) {
    const Key* const key = declared_key(common);
    return key == nullptr ? Owner::run : key->owner;
}

const Key* find_key(std::string_view path) {
    const std::string common = common_path(path);
    const auto item = item_path(path);
    const Key* const key = declared_key(common);
    if (item && owner_of(common) != item->owner) return nullptr;
    if (!item && common != path && !may_differ_by_end(common)) return nullptr;
    return key;
}

bool is_section(std::string_view path) { return !members_of(path).empty(); }

std::vector<std::string> members_of(std::string_view section) {
    std::vector<std::string> members;
    if (section == "system.hosts") return members;  // names of one's own
    const std::string common = common_path(section);
    const auto item = item_path(section);
    const bool of_an_end = common != section && !item;
    const bool all_of_hosts = item && item->owner == Owner::host && item->rest.empty();
    if (all_of_hosts) members.emplace_back("count");
    for (const Key& key : all_keys()) {
        if (!common.empty() && !starts_with_section(key.path, common)) continue;
        if (of_an_end && !may_differ_by_end(key.path)) continue;
        if (item && (owner_of(key.path) != item->owner || key.path == "system.hosts.*.count")) continue;
        const std::size_t start = common.empty() ? 0 : common.size() + 1;
        const std::string_view rest = std::string_view(key.path).substr(start);
        std::string member(rest.substr(0, rest.find('.')));
        if (std::ranges::find(members, member) == members.end()) members.push_back(std::move(member));
    }
    if (section == "system" || section == "simulation") members.insert(members.end(), {"a", "b"});
    if (section == "system") members.insert(members.end(), {"switches", "links", "bridges"});
    if (section == "run")
        members.insert(members.end(), {"methods", "variants", "compare", "sweep", "reference", "traffic"});
    return members;
}

}  // namespace rnicsim
