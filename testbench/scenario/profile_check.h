// SPDX-License-Identifier: Apache-2.0
// A profile against the declarations of the keys that it says.
#pragma once

#include "model/keys/key.h"
#include "testbench/scenario/profile_reader.h"

#include <string>

namespace rnicsim {

/// May a profile of `preset` say what this key is? Keys of hosts, but for presets' own.
bool may_decide(const Preset& preset, const Key& key);

/// Throws ScenarioError: a key that there is not, or that is not of hosts, or that another preset decides; a value out
/// of its range or without its unit; a key or a product that hosts of the profile's personality have not. The profile
/// is one of presets().
void check_profile(const Profile& profile);

/// What a checked profile says: a line for each key, sorted, below its name. Equal for files that differ in remarks,
/// sources, order and how a value is written.
std::string listing_of(const Profile& profile);

}  // namespace rnicsim
