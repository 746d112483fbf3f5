// Sockets for streams of Ethernet frames: an initiator (FrameOut) calls, a target (FrameIn) is called.
//
// A call carries the cycle at which the frame is complete at the receiver's edge. It may be in the future, as with the
// annotated delay of TLM-2.0, but never sooner than the next cycle when it crosses from one process to another:
// whatever is due in a cycle was handed over before that cycle began, so the kernel's order of processes cannot matter.
#pragma once

#include "tlm/ethernet_frame.h"
#include "tlm/units.h"

#include <systemc>

namespace rnicsim {

class FrameTransport : public virtual sc_core::sc_interface {
  public:
    /// `due`: the cycle after the last byte, in order, never earlier than that of the call before.
    virtual void put(FrameRef frame, Cycle due) = 0;
};

using FrameOut = sc_core::sc_port<FrameTransport>;
using FrameIn = sc_core::sc_export<FrameTransport>;

}  // namespace rnicsim
