// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a host with a DRP RNIC: registration, and the software above it.
#pragma once

#include "model/host/config.h"
#include "model/rnic/drp/host/registration_retry.h"
#include "tlm/time/clock.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <vector>

namespace rnicsim {

/// Memory that can be registered, shared with other tasks of the host that hold parts of it now and then.
struct MemoryPoolConfig {
    std::uint64_t size = 0;      ///< bytes; 0 = no limit
    std::uint32_t tasks = 0;     ///< other tasks
    std::uint64_t held = 0;      ///< bytes that a task holds, when it does
    Cycle hold_time{125'000};    ///< mean, exponential
    Cycle rest_time{1'250'000};  ///< mean, exponential
};

constexpr std::int64_t kPageBytes = 4096;

struct RegistrationConfig {
    Cycle base_cost{1'250};  ///< t = base + per_page * pages
    Cycle page_cost{25};
    double failure = 0;                                                     ///< FRP, 0..1, drawn for each attempt
    const RegistrationRetry* retry = &registration_retry("when_released");  ///< not owned
    Cycle retry_interval{112'500};  ///< attempt failed by a draw -> the host's own next attempt
    MemoryPoolConfig pool{};

    /// How long one attempt for a region of so many bytes keeps the host busy.
    [[nodiscard]] Cycle time(std::int64_t bytes) const {
        return base_cost + page_cost * ((bytes + kPageBytes - 1) / kPageBytes);
    }
};

struct SoftwareConfig {
    Cycle interrupt_latency{250};  ///< MSI at the root complex -> handler runs
    Cycle event_cost{50};          ///< handling of one event-ring entry
    Cycle command_cost{30};        ///< building one descriptor, up to the doorbell write
};

/// Ordinary traffic along with the transfers: echo requests to the other host (paper, section 4.3).
struct PingConfig {
    std::vector<std::uint32_t> sizes;  ///< MAC client data of each stream's requests, bytes; empty = no pings
    Cycle interval{125'000};           ///< request -> next request of the same stream
};

struct HostConfig {
    MemoryConfig memory;
    BridgeConfig bridge{};
    RegistrationConfig registration;
    SoftwareConfig software;
    PingConfig ping;
    std::uint32_t receive_ring = 64;  ///< buffers of 2 KiB for ordinary frames
    Clock clock = kGmiiClock;
};

}  // namespace rnicsim
