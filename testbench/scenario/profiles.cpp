// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/profiles.h"

#include "testbench/scenario/file_text.h"
#include "testbench/scenario/profile_check.h"
#include "testbench/scenario/profile_reader.h"
#include "testbench/scenario/profile_texts.h"
#include "testbench/scenario/reader.h"
#include "testbench/scenario/schema.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::string_view kNone = "none";

/// A file of the user's own.
struct OwnFile {
    std::string file, text;
    Profile profile;
};

struct Catalogue {
    std::vector<Preset> presets;  ///< system.rnic.profile first
    std::vector<OwnFile> own;
};

/// A choice more. Throws ScenarioError.
void add_choice(std::vector<Preset>& presets, Profile profile) {
    const auto of = std::ranges::find(presets, profile.key, &Preset::key);
    if (of == presets.end()) {
        std::string keys;
        for (const Preset& preset : presets) keys += (keys.empty() ? "" : " or ") + preset.key;
        reject(profile.key_where, "key", "found '" + profile.key + "', expected " + keys);
    }
    const std::string& name = profile.choice.name;
    if (name == kNone || std::ranges::find(of->choices, name, &Preset::Choice::name) != of->choices.end())
        reject(profile.name_where, "name", "'" + name + "' is a name of " + profile.key + " already, expected another");
    of->choices.push_back(std::move(profile.choice));
}

/// In the order of the words of their keys.
Catalogue make_catalogue(std::vector<OwnFile> own) {
    Catalogue all{{{"system.rnic.profile", {{std::string(kNone)}}},
                   {"system.rnic.rc.dcqcn.parameters", {{"paper"}}, "system.rnic.rc."},
                   {"system.host.cpu.profile", {{std::string(kNone)}}, "system.host."}},
                  std::move(own)};
    for (const auto& [file, text] : kProfileTexts)
        add_choice(all.presets, read_profile(std::string(file), std::string(text)));
    for (const OwnFile& one : all.own) {
        Profile profile = one.profile;
        profile.choice.own = true;
        add_choice(all.presets, std::move(profile));
    }
    return all;
}

/// The first call makes it.
const Catalogue& catalogue(std::vector<OwnFile> own = {}) {
    static const Catalogue kAll = make_catalogue(std::move(own));
    return kAll;
}

const Preset::Setting* find(const Preset::Choice& choice, std::string_view path) {
    const auto found = std::ranges::find(choice.settings, path, &Preset::Setting::path);
    return found == choice.settings.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string_view> profile_names() { return catalogue().presets[0].names(); }
std::vector<std::string_view> dcqcn_parameter_names() { return catalogue().presets[1].names(); }
std::vector<std::string_view> cpu_profile_names() { return catalogue().presets[2].names(); }

Product product_of(std::string_view profile) {
    const auto& choices = catalogue().presets[0].choices;
    const auto choice = std::ranges::find(choices, profile, &Preset::Choice::name);
    return choice == choices.end() ? Product{} : choice->product;
}

std::span<const Preset> presets() { return catalogue().presets; }

const Preset* preset_of(std::string_view key) {
    const auto preset = std::ranges::find(presets(), key, &Preset::key);
    return preset == presets().end() ? nullptr : &*preset;
}

void add_own_profiles(const std::vector<std::filesystem::path>& files) {
    std::vector<OwnFile> own;
    for (const std::filesystem::path& file : files) {
        std::string text = text_of(file, "a profile (YAML)");
        Profile profile = read_profile(file.string(), text);
        own.push_back({file.string(), std::move(text), std::move(profile)});
    }
    if (catalogue(std::move(own)).own.size() != files.size())
        throw std::logic_error("keys have been looked at before profiles were added");
    for (const OwnFile& one : catalogue().own) check_profile(one.profile);
}

std::span<const OwnProfile> own_profiles() {
    static const std::vector<OwnProfile> kAll = [] {
        std::vector<OwnProfile> all;
        for (const OwnFile& one : catalogue().own)
            all.push_back({one.profile.key, one.profile.choice.name, one.file, one.text, listing_of(one.profile)});
        return all;
    }();
    return kAll;
}

std::vector<std::string_view> Preset::names() const {
    std::vector<std::string_view> all;
    for (const Choice& choice : choices) all.push_back(choice.name);
    return all;
}

bool Preset::decides(std::string_view path) const {
    return std::ranges::any_of(choices, [&](const Choice& choice) { return find(choice, path) != nullptr; });
}

std::optional<std::string_view> Preset::value(std::string_view name, std::string_view path) const {
    if (name == kNone) return std::nullopt;  // nor has somebody else chosen one
    const auto choice = std::ranges::find(choices, name, &Choice::name);
    if (choice == choices.end()) throw std::logic_error(key + " has no '" + std::string(name) + "'");
    if (const Setting* const said = find(*choice, path)) return said->value;
    const auto built_in = [&](const Choice& one) { return !one.own && find(one, path) != nullptr; };
    if (std::ranges::none_of(choices, built_in)) return std::nullopt;
    return find_key(path)->fallback;
}

}  // namespace rnicsim
