// SPDX-License-Identifier: Apache-2.0
// A profile as its file has it (profiles/*.yaml).
#pragma once

#include "testbench/scenario/profiles.h"

#include <string>

namespace rnicsim {

struct Profile {
    std::string key;  ///< whose word its name is
    Preset::Choice choice;
    std::string key_where, name_where;
    std::string product_where{};  ///< empty: it says nothing about the product
};
/// `source`: its file's name. Throws ScenarioError where the text is no profile. Which keys there are is not known
/// here: profile_check.h.
Profile read_profile(const std::string& source, const std::string& text);

}  // namespace rnicsim
