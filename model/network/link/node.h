// SPDX-License-Identifier: Apache-2.0
// What a link ends at.
#pragma once

#include <cstdint>

namespace rnicsim {

struct Node {
    enum class Kind : std::uint8_t { host, network_switch };
    Kind kind = Kind::host;
    unsigned index = 0;  ///< of the host or of the switch

    friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace rnicsim
