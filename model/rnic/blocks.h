// What a block of the RNIC does with what it is given, apart from sockets and counters: by the model's arithmetic, or
// by Verilog. Both give the same, to the cycle; who simulates a block is chosen in the scenario.
#pragma once

#include "model/rnic/config.h"
#include "model/rnic/core_tap.h"
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
    /// or as soon as the gap after the frame before has passed. Precondition: now >= ready_at of the frame before.
    virtual Sent send(Frame& frame, Cycle now) = 0;

    enum class Verdict : std::uint8_t { good, runt, oversize, bad_fcs };
    struct Received {
        Verdict verdict = Verdict::good;
        Cycle at;  ///< good: handed on
    };
    /// A frame from the wire; its last byte came in the cycle before `due`.
    virtual Received receive(Frame& frame, Cycle due) = 0;
};

/// Frame filter: tells DRP frames from others, and malformed ones from both.
class FilterEngine {
  public:
    virtual ~FilterEngine() = default;

    enum class Kind : std::uint8_t { drp, ordinary, other_destination, malformed };
    struct Classified {
        Kind kind = Kind::drp;
        DrpError reason = DrpError::none;  ///< malformed
        DrpHeader header;                  ///< drp
        Cycle at;                          ///< classified
    };
    /// A good frame, handed over at `due`.
    virtual Classified classify(const Frame& frame, Cycle due) = 0;
};

/// Makes the blocks that a configuration names. This one knows the models only.
class BlockFactory {
  public:
    virtual ~BlockFactory() = default;
    [[nodiscard]] virtual std::unique_ptr<MacEngine> mac(const RnicConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<FilterEngine> filter(const RnicConfig& config, const MacAddress& own) const;
    [[nodiscard]] virtual std::unique_ptr<TransportEngine> transport(const RnicConfig& config) const;
    /// Follows the whole core; nullptr: nobody does.
    [[nodiscard]] virtual std::unique_ptr<CoreTap> core(const RnicConfig& config, const MacAddress& own,
                                                        const MacAddress& peer) const;
    [[nodiscard]] virtual std::unique_ptr<DmaEngine> dma_engine(const RnicConfig& config) const;
    [[nodiscard]] virtual std::unique_ptr<IndirectBufferEngine> indirect_buffer(const RnicConfig& config) const;
};

}  // namespace rnicsim
