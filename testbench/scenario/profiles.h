// SPDX-License-Identifier: Apache-2.0
// Presets: keys of a host that say what others are that are not written, all at once. What each says is data, with a
// source for each value: profiles/*.yaml, built into the program.
#pragma once

#include "model/host/verbs/config.h"

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

/// What a card of this profile says of itself.
Product product_of(std::string_view profile);

struct Preset {
    struct Setting {
        std::string path, value;
        std::string source{};  ///< where the value comes from
    };
    /// A value of the key, and what the others are then that it says.
    struct Choice {
        std::string name;
        std::vector<Setting> settings{};
        Product product{};
    };
    std::string key;
    std::vector<Choice> choices;

    [[nodiscard]] std::vector<std::string_view> names() const;
    /// Does any choice say what this key is?
    [[nodiscard]] bool decides(std::string_view path) const;
    /// The value of a key under this name, as it would be written; nothing if the preset leaves the key alone. A key
    /// that other choices decide, and this one does not, has its default. Throws std::logic_error if there is no such
    /// choice.
    [[nodiscard]] std::optional<std::string_view> value(std::string_view name, std::string_view path) const;
};
/// No key is decided by two of them.
std::span<const Preset> presets();

}  // namespace rnicsim
