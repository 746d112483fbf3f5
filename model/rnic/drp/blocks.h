// SPDX-License-Identifier: Apache-2.0
// The blocks of the RNIC without sockets and counters: simulated by a model or by Verilog, as the scenario chooses.
// Both give the same results, to the cycle.
#pragma once

#include "model/rnic/common/dma_engine.h"
#include "model/rnic/common/mac_engine.h"
#include "model/rnic/drp/config.h"
#include "model/rnic/drp/core_observer.h"
#include "model/rnic/drp/indirect_buffer.h"
#include "model/rnic/drp/transport_engine.h"
#include "tlm/drp/drp_header.h"
#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"

#include <cstdint>
#include <memory>

namespace rnicsim {

/// Frame filter: sorts frames into DRP, malformed DRP and others.
class FilterEngine {
  public:
    virtual ~FilterEngine() = default;

    enum class Kind : std::uint8_t { drp, ordinary, other_destination, malformed };
    struct Classified {
        Kind kind = Kind::drp;
        DrpError reason = DrpError::none;  ///< malformed
        DrpHeader header;                  ///< drp
        Cycle at;                          ///< when it is classified
    };
    /// A good frame, handed over at `due`.
    virtual Classified classify(const Frame& frame, Cycle due) = 0;
};

/// Makes the blocks that a configuration names. This class makes models only.
class BlockFactory {
  public:
    virtual ~BlockFactory() = default;
    [[nodiscard]] virtual std::unique_ptr<MacEngine> mac(const RnicConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<FilterEngine> filter(const RnicConfig& config, const MacAddress& own) const;
    [[nodiscard]] virtual std::unique_ptr<TransportEngine> transport(const RnicConfig& config) const;
    /// Verilog that follows the whole core; nullptr = none.
    [[nodiscard]] virtual std::unique_ptr<CoreObserver> core(const RnicConfig& config, const MacAddress& own,
                                                             const MacAddress& peer) const;
    [[nodiscard]] virtual std::unique_ptr<DmaEngine> dma_engine(const RnicConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<IndirectBufferEngine> indirect_buffer(const RnicConfig& config) const;
};

}  // namespace rnicsim
