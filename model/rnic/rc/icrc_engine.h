// SPDX-License-Identifier: Apache-2.0
// ICRC: makes those of the packets that leave, checks those of the packets that come. The time that it takes is part
// of the ways in and out (tx_path, rx_path).
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/roce/packet.h"

namespace rnicsim::rc {

class IcrcEngine {
  public:
    virtual ~IcrcEngine() = default;
    /// Completes a frame with ICRC and FCS. Precondition: roce::format(), and all its payload is in its place.
    virtual void complete(Frame& frame) { roce::seal(frame); }
    /// Precondition: the frame has a packet that is all there (PacketView::framed).
    [[nodiscard]] virtual bool good(const Frame& frame) { return roce::icrc_good(frame); }

    /// `packet`: what the frame says, as if its ICRC were good. If it is wrong, the packet says that only.
    void check(const Frame& frame, roce::Packet& packet) {
        if (roce::view_of(frame).framed && !good(frame)) packet = roce::with_bad_icrc(packet);
    }
};

}  // namespace rnicsim::rc
