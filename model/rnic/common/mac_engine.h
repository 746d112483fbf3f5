// SPDX-License-Identifier: Apache-2.0
// The MAC without sockets and counters: a model, or Verilog.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim {

/// Full duplex; one for GMII sends a byte a cycle.
class MacEngine {
  public:
    virtual ~MacEngine() = default;

    struct Sent {
        Cycle end;       ///< the cycle after the last byte on the wire
        Cycle ready_at;  ///< first cycle in which the next frame may be handed over
        Time before{};   ///< so long before `end` begins is the last byte out; 0 where a byte takes whole cycles
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

}  // namespace rnicsim
