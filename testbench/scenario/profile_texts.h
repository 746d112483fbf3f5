// SPDX-License-Identifier: Apache-2.0
// The files of profiles/, built into the program: CMake makes profile_texts.cpp of them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace rnicsim {

struct ProfileText {
    std::string_view file, text;
};
extern const std::span<const ProfileText> kProfileTexts;

}  // namespace rnicsim
