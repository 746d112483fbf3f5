// SPDX-License-Identifier: Apache-2.0
// What reads the packets that come and makes the headers of those that leave. The time that it takes is part of the
// ways in and out (rx_path, tx_path).
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/roce/packet.h"

#include <cstdint>
#include <span>

namespace rnicsim::rc {

class PacketParser {
  public:
    virtual ~PacketParser() = default;
    /// As if the ICRC were good: that is IcrcEngine's.
    [[nodiscard]] virtual roce::Packet read(const Frame& frame) { return roce::view_of(frame).packet; }
};

class PacketBuilder {
  public:
    virtual ~PacketBuilder() = default;
    /// As roce::format().
    virtual std::span<std::uint8_t> format(Frame& frame, const roce::Route& route, const roce::Header& header) {
        return roce::format(frame, route, header);
    }
};

}  // namespace rnicsim::rc
