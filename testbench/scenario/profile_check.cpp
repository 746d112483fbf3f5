// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/profile_check.h"

#include "testbench/scenario/node_reader.h"
#include "testbench/scenario/personalities/personality.h"
#include "testbench/scenario/reader.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rnicsim {
namespace {

constexpr std::string_view kSystem = "system.";

/// As the file has it: behind "system.".
std::string written_path(const std::string& path) { return "values." + path.substr(kSystem.size()); }

[[noreturn]] void refuse_key(const Preset& preset, const Preset::Setting& setting) {
    std::vector<std::string> candidates;
    for (const Key& key : all_keys()) {
        if (may_decide(preset, key)) candidates.push_back(key.path.substr(kSystem.size()));
    }
    const std::string what = find_key(setting.path) == nullptr ? "unknown key" : "is no key that a profile decides";
    const std::string near = suggestion(setting.path.substr(kSystem.size()), candidates);
    reject(setting.where, written_path(setting.path),
           what + (near.empty() ? ", expected a key of hosts below " + preset.section.substr(kSystem.size()) : near));
}

void check_setting(const Preset& preset, const Preset::Setting& setting) {
    const std::string path = written_path(setting.path);
    const Key* const key = find_key(setting.path);
    if (key == nullptr || key->path != setting.path || !may_decide(preset, *key)) refuse_key(preset, setting);
    for (const Preset& other : presets()) {
        if (other.key != preset.key && other.decides(setting.path))
            reject(setting.where, path, "is decided by " + other.key + ", expected keys that no other one decides");
    }
    Value value;
    std::string expected;
    if (!read_value(*key, setting.value, value, expected))
        reject(setting.value_where, path, "found '" + setting.value + "', expected " + expected);
}

/// Where the profile says which personality its hosts have, they have all its keys.
void check_personality(const Profile& profile) {
    const auto& settings = profile.choice.settings;
    const auto said = std::ranges::find(settings, "system.rnic.personality", &Preset::Setting::path);
    if (said == settings.end()) return;
    const Personality& of = personality_named(said->value);
    for (const Preset::Setting& setting : settings) {
        if (!of.has_key(setting.path.substr(kSystem.size() - 1)))
            reject(setting.where, written_path(setting.path),
                   "has no effect: hosts of this profile have the personality " + said->value);
    }
    if (!profile.product_where.empty() && of.workload() != Workload::verbs)
        reject(profile.product_where, "product", "has no effect: only RoCEv2 RNICs say it to programs");
}

}  // namespace

bool may_decide(const Preset& preset, const Key& key) {
    return key.owner == Owner::host && key.path.starts_with(preset.section) && !is_list(key.kind) &&
           key.path != "system.hosts.*.count" && preset_of(key.path) == nullptr;
}

void check_profile(const Profile& profile) {
    const Preset& preset = *preset_of(profile.key);
    for (const Preset::Setting& setting : profile.choice.settings) check_setting(preset, setting);
    check_personality(profile);
    if (!profile.product_where.empty() && preset.key != presets().front().key)
        reject(profile.product_where, "product", "has no effect: expected it in a profile of " + presets().front().key);
}

std::string listing_of(const Profile& profile) {
    std::vector<std::string> lines;
    for (const Preset::Setting& setting : profile.choice.settings) {
        const Key& key = *find_key(setting.path);
        Value value;
        std::string expected;
        read_value(key, setting.value, value, expected);
        lines.push_back(key.path.substr(kSystem.size()) + ": " + write_value(key, value));
    }
    const Product& product = profile.choice.product;
    const auto add = [&](const char* name, std::uint32_t number) {
        lines.push_back(std::string("product.") + name + ": " + std::to_string(number));
    };
    add("vendor", product.vendor);
    add("part", product.part);
    add("pci_vendor", product.pci_vendor);
    add("pci_device", product.pci_device);
    add("most_inline", product.most_inline);
    add("mlx5_errors", product.mlx5_errors ? 1 : 0);
    std::ranges::sort(lines);
    std::string text = "  " + profile.choice.name + ":\n    key: " + profile.key + '\n';
    for (const std::string& line : lines) text += "    " + line + '\n';
    return text;
}

}  // namespace rnicsim
