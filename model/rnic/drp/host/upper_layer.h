// SPDX-License-Identifier: Apache-2.0
// The upper layer: issues transfers and gets their completions or errors. Implemented by the workload of a test bench.
#pragma once

#include "tlm/drp/host_queues.h"
#include "tlm/drp/ids.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <optional>

namespace rnicsim {

struct TransferRequest {
    std::uint32_t id = 0;
    Operation operation = Operation::write;
    std::uint32_t length = 0;  ///< bytes
    std::uint64_t local = 0;   ///< base address at this host (SBA)
    std::uint64_t remote = 0;  ///< base address at the other host (DBA)
    Peer peer{};               ///< the other host
};

/// Calls of one host's software, each at cycle `now`.
class UpperLayer {
  public:
    virtual ~UpperLayer() = default;
    /// The next transfer that may start now, if any. Called until there is none.
    virtual std::optional<TransferRequest> next_transfer(Cycle now) = 0;
    /// May an event outside its own host's software make it kick() the processor?
    [[nodiscard]] virtual bool may_kick() const = 0;
    /// The REQ_ACK of a transfer, the real or the simulated one.
    virtual void acknowledged(std::uint32_t id, bool simulated, Cycle now) = 0;
    /// The one completion (error == none) or the one error of a transfer.
    virtual void ended(std::uint32_t id, TransferError error, bool indirect, Cycle now) = 0;
    /// The RNIC reported something about a transfer that is not in progress: never right.
    virtual void unexpected(const Event& event, Cycle now) = 0;
    /// A peer's transfer asks for the region at `base`: until it is released, this host may register it.
    virtual void peer_region_wanted(std::uint64_t base, Cycle now) = 0;
    /// That region is not registered any more, and will not be.
    virtual void peer_region_released(std::uint64_t base, Cycle now) = 0;
};

}  // namespace rnicsim
