// SPDX-License-Identifier: Apache-2.0
// A profile as its file has it (profiles/*.yaml).
#pragma once

#include "testbench/scenario/profiles.h"

#include <string>

namespace rnicsim {

struct Profile {
    std::string key;  ///< whose word its name is
    Preset::Choice choice;
};
/// `source`: its file's name. Throws ScenarioError where the text is no profile. Keys and values are checked by whoever
/// reads a scenario with it: which keys there are is not known here.
Profile read_profile(const std::string& source, const std::string& text);

}  // namespace rnicsim
