// SPDX-License-Identifier: Apache-2.0
// What a requester says about the order and coherence of a TLP (PCI Express Base Specification 2.2.6.3 to 2.2.6.5).
#pragma once

#include <cstdint>

namespace rnicsim {

struct TlpAttributes {
    bool no_snoop = false;
    bool relaxed_ordering = false;
    std::uint8_t traffic_class = 0;  ///< 0..7

    friend bool operator==(const TlpAttributes&, const TlpAttributes&) = default;
};

}  // namespace rnicsim
