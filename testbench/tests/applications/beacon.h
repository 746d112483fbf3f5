// SPDX-License-Identifier: Apache-2.0
// The word for an application of this folder's own.
#pragma once

#include <string_view>

namespace rnicsim {

inline constexpr std::string_view kBeacon = "beacon";

}  // namespace rnicsim
