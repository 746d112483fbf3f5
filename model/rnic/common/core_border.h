// SPDX-License-Identifier: Apache-2.0
// Observes what crosses the border between an RNIC's core and its MAC and PCIe endpoint.
#pragma once

#include "model/rnic/common/dma_engine.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <span>

namespace rnicsim {

class MacObserver {
  public:
    virtual ~MacObserver() = default;
    /// A frame from the wire; its last byte arrives in the cycle before `due`.
    virtual void frame_arrives(const Frame& frame, Cycle due) = 0;
    /// The last byte is on the wire in the cycle before `end`.
    virtual void frame_sent(const Frame& frame, Cycle end) = 0;
};

class DmaObserver {
  public:
    virtual ~DmaObserver() = default;
    virtual void tags_return(Cycle at, std::uint32_t tags) = 0;
    /// The first TLP of a request comes at `first`.
    virtual void request_issued(Cycle first, DmaEngine::Direction direction, DmaSource source,
                                std::span<const DmaEngine::Piece> pieces) = 0;
};

}  // namespace rnicsim
