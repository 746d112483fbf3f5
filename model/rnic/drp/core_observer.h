// SPDX-License-Identifier: Apache-2.0
// Observes everything that crosses the border of the RNIC's core: GMII, host interface, PCIe link. So a second core can
// be given the same inputs, and its outputs compared.
#pragma once

#include "model/rnic/common/core_border.h"
#include "model/rnic/drp/transport_engine.h"
#include "tlm/drp/host_queues.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <span>

namespace rnicsim {

class CoreObserver : public MacObserver, public DmaObserver {
  public:
    ~CoreObserver() override = default;

    // Inputs, each kind in order of time.
    virtual void command_arrives(Cycle at, const Command& command) = 0;
    /// The payload of the oldest pending fetch has arrived.
    virtual void payload_arrives(Cycle at, std::span<const std::uint8_t> payload) = 0;
    virtual void host_requests(Cycle at, DmaEngine::Direction direction, std::uint64_t address,
                               std::uint32_t bytes) = 0;
    /// The transport's oldest write has left the link.
    virtual void write_leaves(Cycle at) = 0;
    virtual void ordinary_frame_waits(Cycle at, const Frame& frame) = 0;

    // Outputs.
    /// The payload of a write of the transport, piece by piece.
    virtual void payload_leaves(std::span<const std::uint8_t> payload) = 0;
    /// At the end of a decision, what it has counted: bits in the order of TransportCount, at least one.
    virtual void decided(Cycle at, std::uint64_t notes, const TransferKey& of) = 0;
    virtual void event_raised(Cycle at, const Event& event) = 0;
    /// A data frame was dropped because the receive buffer is full.
    virtual void frame_overruns(Cycle at) = 0;
    virtual void ordinary_frame_received(Cycle at, const Frame& frame) = 0;

    /// The run is over.
    virtual void finish(Cycle now) = 0;
    /// Cycles that it has simulated, without those skipped.
    [[nodiscard]] virtual std::uint64_t clocked() const = 0;
};

}  // namespace rnicsim
