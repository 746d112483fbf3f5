// SPDX-License-Identifier: Apache-2.0
// Presets: keys of a host that say what others are that are not written, all at once. What each says is data, with a
// source for each value: profiles/*.yaml, built into the program, and files of the user's own.
#pragma once

#include "model/host/verbs/config.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnicsim {

/// Of system.rnic.profile. The first one, none, leaves the keys alone.
std::vector<std::string_view> profile_names();
/// Of system.rnic.rc.dcqcn.parameters. The first one, paper, has the defaults of the keys.
std::vector<std::string_view> dcqcn_parameter_names();
/// Of system.host.cpu.profile. The first one, none, leaves the keys alone.
std::vector<std::string_view> cpu_profile_names();

/// What a card of this profile says of itself.
Product product_of(std::string_view profile);

struct Preset {
    struct Setting {
        std::string path, value;
        std::string source{};                ///< where the value comes from
        std::string where{}, value_where{};  ///< in the profile's file
    };
    /// A value of the key, and what the others are then that it says.
    struct Choice {
        std::string name;
        std::vector<Setting> settings{};
        Product product{};
        bool own = false;  ///< from a file of the user's own
    };
    std::string key;
    std::vector<Choice> choices;
    std::string section = "system.";  ///< below which its profiles decide keys

    [[nodiscard]] std::vector<std::string_view> names() const;
    /// Does any choice say what this key is?
    [[nodiscard]] bool decides(std::string_view path) const;
    /// The value of a key under this name, as it would be written; nothing if the preset leaves the key alone. A key
    /// that choices of the program decide, and this one does not, has its default: what a name means does not depend on
    /// which files the user gives besides. Throws std::logic_error if there is no such choice.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name, std::string_view path) const;
};
/// No key is decided by two of them.
std::span<const Preset> presets();
/// The one that this key chooses from; null: it is not the key of one.
const Preset* preset_of(std::string_view key);

/// A profile of the user's own.
struct OwnProfile {
    std::string key, name;
    std::string file;     ///< as it was given
    std::string text;     ///< the file's
    std::string listing;  ///< what it says, without sources and remarks: of equal listings results are equal
};
/// Makes the profiles of these files choices beside those built in, for the rest of the process. To be called once,
/// before the first key is looked at: a key has its choices from here, and the list of keys is made once and never
/// changes. To pass a catalogue instead would concern every function that looks up a key. Throws ScenarioError for a
/// file that is no profile, std::logic_error if it is too late.
void add_own_profiles(const std::vector<std::filesystem::path>& files);
/// In the order in which they were given.
std::span<const OwnProfile> own_profiles();

}  // namespace rnicsim
