// SPDX-License-Identifier: Apache-2.0
// Which early data gets a free slot of the indirect buffer (PROTOCOL.md 6.4).
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"

#include <cstdint>

namespace rnicsim {

/// A frame inside the window, for which there is a free slot.
struct EarlyFrame {
    std::uint32_t ahead = 0;  ///< its SN above the next one expected; 0 = it is that one
    std::uint32_t held = 0;   ///< slots with data of its initiator
    std::uint32_t quota = 0;  ///< system.rnic.drp.buffer_quota, in frames
};

class BufferAdmission : public Policy {
  public:
    /// A frame that is not admitted is dropped, counted as if the buffer were full, and not acknowledged.
    [[nodiscard]] virtual bool admits(const EarlyFrame& frame) const = 0;
};

}  // namespace rnicsim
