// SPDX-License-Identifier: Apache-2.0
// Which data frames are acknowledged at once (PROTOCOL.md 4.2).
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"

#include <cstdint>

namespace rnicsim {

/// A data frame that was accepted, or is a duplicate.
struct TakenFrame {
    bool in_order = true;    ///< the one expected, with none behind it received before
    bool last = false;       ///< all known data of the transfer has been received
    std::uint32_t owed = 1;  ///< frames accepted since the last acknowledgement, this one included
};

class Acknowledgement : public Policy {
  public:
    [[nodiscard]] virtual bool at_once(const TakenFrame& frame) const = 0;
};

}  // namespace rnicsim
