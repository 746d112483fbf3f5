// SPDX-License-Identifier: Apache-2.0
// When the host tries a failed registration again by itself (PROTOCOL.md 3.11): only for a dynamic RNIC, which accepts
// an unsolicited verdict.
#pragma once

#include "model/policy.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

class RegistrationRetry : public Policy {
  public:
    /// After attempt number `attempts`, from 1, has failed: how long until the host tries again by itself; none = only
    /// at the next request. `interval`: retry_interval.
    [[nodiscard]] virtual std::optional<Cycle> tries_after(std::uint32_t attempts, Cycle interval) const = 0;
};

/// system.host.registration.retry. Throws std::invalid_argument.
const RegistrationRetry& registration_retry(std::string_view name);
std::vector<std::string_view> registration_retry_names();

}  // namespace rnicsim
