// SPDX-License-Identifier: Apache-2.0
// When an end sends data before the connection is established (PROTOCOL.md section 5). Dynamic RNICs only.
#pragma once

#include "model/policy.h"

#include <cstdint>

namespace rnicsim {

class ModeChoice : public Policy {
  public:
    /// An invalid REQ_ACK has come: go indirect?
    [[nodiscard]] virtual bool on_refusal() const = 0;
    /// The request timer has expired `timeouts` times, from 1: go indirect? `limit`: indirect_after_timeouts.
    [[nodiscard]] virtual bool on_expiry(std::uint32_t timeouts, std::uint32_t limit) const = 0;
};

/// system.rnic.transport.mode_choice. Throws std::invalid_argument.
const ModeChoice& mode_choice(std::string_view name);
std::vector<std::string_view> mode_choice_names();

}  // namespace rnicsim
