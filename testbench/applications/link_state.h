// SPDX-License-Identifier: Apache-2.0
// What a host knows of the link of a bridge.
#pragma once

#include <cstdint>

namespace rnicsim::applications {

enum class LinkState : std::uint8_t {
    up,
    down,
    back  ///< it was down since somebody last looked
};

}  // namespace rnicsim::applications
