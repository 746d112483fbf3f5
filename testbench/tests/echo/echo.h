// SPDX-License-Identifier: Apache-2.0
// The word for the application that the card answers.
#pragma once

#include <string_view>

namespace rnicsim {

inline constexpr std::string_view kEcho = "echo_card";

}  // namespace rnicsim
