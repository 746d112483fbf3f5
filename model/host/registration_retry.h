// What the host does with a registration that failed (PROTOCOL.md 3.11). By itself it tries again for a dynamic
// RNIC only, which can take a REQ_ACK that nobody has asked for.
#pragma once

#include "model/policy.h"
#include "tlm/units.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

class RegistrationRetry : public Policy {
  public:
    /// After the attempt `attempts`, from 1, has failed: when the host tries again by itself; none: at the next
    /// request. `interval`: retry_interval.
    [[nodiscard]] virtual std::optional<Cycle> tries_after(std::uint32_t attempts, Cycle interval) const = 0;
};

/// system.host.registration.retry. Throws std::invalid_argument.
const RegistrationRetry& registration_retry(std::string_view name);
std::vector<std::string_view> registration_retry_names();

}  // namespace rnicsim
