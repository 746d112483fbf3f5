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

    /// What a frame says, as far as its ICRC is good. `packet`: as if it were.
    [[nodiscard]] roce::Packet checked(const Frame& frame, const roce::Packet& packet) {
        return !roce::view_of(frame).framed || good(frame) ? packet : roce::with_bad_icrc(packet);
    }
    [[nodiscard]] roce::Packet read(const Frame& frame) { return checked(frame, roce::view_of(frame).packet); }
};

}  // namespace rnicsim::rc
