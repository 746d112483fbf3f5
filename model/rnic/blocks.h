// The blocks of the RNIC without sockets and counters: simulated by a model or by Verilog, as the scenario chooses.
// Both give the same results, to the cycle.
#pragma once

#include "model/rnic/config.h"
#include "model/rnic/core_observer.h"
#include "model/rnic/dma_engine.h"
#include "model/rnic/indirect_buffer.h"
#include "model/rnic/transport_engine.h"
#include "tlm/drp_header.h"
#include "tlm/ethernet_frame.h"
#include "tlm/units.h"

#include <cstdint>
#include <memory>

namespace rnicsim {

/// Gigabit MAC: GMII, one byte a cycle, full duplex.
class MacEngine {
  public:
    virtual ~MacEngine() = default;

    struct Sent {
        Cycle end;       ///< the cycle after the last byte on the wire
        Cycle ready_at;  ///< first cycle in which the next frame may be handed over
    };
    /// Completes the frame with its FCS and sends it: the first preamble byte is on the wire `tx_latency` after `now`,
    /// or as soon as the gap after the previous frame has passed. Precondition: now >= ready_at of the previous frame.
    virtual Sent send(Frame& frame, Cycle now) = 0;

    enum class Verdict : std::uint8_t { good, runt, oversize, bad_fcs };
    struct Received {
        Verdict verdict = Verdict::good;
        Cycle at;  ///< of a good frame: when it is handed on
    };
    /// A frame from the wire; its last byte arrived in the cycle before `due`.
    virtual Received receive(Frame& frame, Cycle due) = 0;
};

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
