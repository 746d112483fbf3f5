// SPDX-License-Identifier: Apache-2.0
// Sockets for streams of Ethernet frames: an initiator (FrameOut) calls, a target (FrameIn) is called.
//
// A call carries the time at which the frame is complete at the receiver. It may be in the future, as with the
// annotated delay of TLM-2.0. Between two processes it is never before the receiver's next cycle: so whatever is due in
// a cycle was handed over before that cycle began, and the kernel's order of processes cannot matter.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/time/cycle.h"
#include "tlm/time/time.h"

#include <systemc>

namespace rnicsim {

class FrameTransport : public virtual sc_core::sc_interface {
  public:
    /// `end`: of the last byte, never earlier than that of the previous call.
    virtual void put(FrameRef frame, Time end) = 0;
};

using FrameOut = sc_core::sc_port<FrameTransport>;
using FrameIn = sc_core::sc_export<FrameTransport>;

/// The same between blocks of one clock.
class ClockedFrameTransport : public virtual sc_core::sc_interface {
  public:
    /// `due`: the cycle after the last byte, never earlier than that of the previous call.
    virtual void put(FrameRef frame, Cycle due) = 0;
};

using ClockedFrameOut = sc_core::sc_port<ClockedFrameTransport>;
using ClockedFrameIn = sc_core::sc_export<ClockedFrameTransport>;

}  // namespace rnicsim
