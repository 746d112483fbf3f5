// SPDX-License-Identifier: Apache-2.0
// When an end sends data before the connection is established (PROTOCOL.md section 5). Dynamic RNICs only.
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"

#include <cstdint>

namespace rnicsim {

class ModeChoice : public Policy {
  public:
    /// An invalid REQ_ACK has come: go indirect?
    [[nodiscard]] virtual bool on_refusal() const = 0;
    /// The request timer has expired `timeouts` times, from 1: go indirect? `limit`: indirect_after_timeouts.
    [[nodiscard]] virtual bool on_expiry(std::uint32_t timeouts, std::uint32_t limit) const = 0;
};

}  // namespace rnicsim
