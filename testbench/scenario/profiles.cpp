// SPDX-License-Identifier: Apache-2.0
#include "testbench/scenario/profiles.h"

#include "testbench/scenario/profile_reader.h"
#include "testbench/scenario/profile_texts.h"
#include "testbench/scenario/schema.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::string_view kNone = "none";

/// In the order of the words of their keys.
std::vector<Preset> read_presets() {
    std::vector<Preset> all{{"system.rnic.profile", {{std::string(kNone)}}},
                            {"system.rnic.rc.dcqcn.parameters", {{"paper"}}}};
    for (const auto& [file, text] : kProfileTexts) {
        Profile profile = read_profile(std::string(file), std::string(text));
        const auto of = std::ranges::find(all, profile.key, &Preset::key);
        if (of == all.end()) throw std::logic_error(std::string(file) + ": no key " + profile.key + " has profiles");
        of->choices.push_back(std::move(profile.choice));
    }
    return all;
}

const std::vector<Preset>& all_presets() {
    static const std::vector<Preset> kAll = read_presets();
    return kAll;
}

const Preset::Setting* find(const Preset::Choice& choice, std::string_view path) {
    const auto found = std::ranges::find(choice.settings, path, &Preset::Setting::path);
    return found == choice.settings.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string_view> profile_names() { return all_presets()[0].names(); }
std::vector<std::string_view> dcqcn_parameter_names() { return all_presets()[1].names(); }

Product product_of(std::string_view profile) {
    const auto& choices = all_presets()[0].choices;
    const auto choice = std::ranges::find(choices, profile, &Preset::Choice::name);
    return choice == choices.end() ? Product{} : choice->product;
}

std::span<const Preset> presets() { return all_presets(); }

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
    if (!decides(path)) return std::nullopt;
    const Setting* const own = find(*choice, path);
    return own != nullptr ? std::string_view(own->value) : std::string_view(find_key(path)->fallback);
}

}  // namespace rnicsim
