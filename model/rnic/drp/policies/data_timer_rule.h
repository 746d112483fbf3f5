// SPDX-License-Identifier: Apache-2.0
// How long the data timer runs (PROTOCOL.md 4.7).
#pragma once

#include "model/policy.h"
#include "model/rnic/drp/policies/names.h"
#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim {

/// What one sender knows of its round trips. Kept in its entry of the connection table.
struct RoundTrips {
    Cycle smoothed;             ///< SRTT; 0: none has been measured
    Cycle variation;            ///< RTTVAR
    std::uint32_t backoff = 0;  ///< expiries since the last measurement
    friend bool operator==(const RoundTrips&, const RoundTrips&) = default;
};

/// The adaptive rule's longest timer, in data_timers.
inline constexpr std::int64_t kLongestDataTimer = 8;

class DataTimerRule : public Policy {
  public:
    /// Does it need round trips?
    [[nodiscard]] virtual bool measures() const = 0;
    /// `data_timer`: the scenario's.
    [[nodiscard]] virtual Cycle length(const RoundTrips& known, Cycle data_timer) const = 0;
};

/// A frame that was sent once has been acknowledged so long after its fetch (RFC 6298, 2.2 and 2.3).
void measured(RoundTrips& known, Cycle round_trip);

}  // namespace rnicsim
