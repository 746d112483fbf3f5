// SPDX-License-Identifier: Apache-2.0
// An ordinary frame of a scenario's traffic: UDP (RFC 768) to the discard port (RFC 863), so that any decoder reads it.
#pragma once

#include "tlm/ethernet/frame.h"
#include "tlm/ethernet/ipv4.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace rnicsim {

/// What tells one from another.
struct PlainFrame {
    unsigned from = 0, to = 0;  ///< hosts
    std::uint16_t item = 0;     ///< of the traffic
    std::uint32_t id = 0;       ///< counts the frames of the item and `from`
    std::uint32_t bytes = 0;    ///< MAC client data
    std::uint8_t traffic_class = 0;
    bool ecn_capable = false;
    bool marked = false;  ///< by a switch
};
/// IPv4, UDP, and what tells it from others; the shortest frame has room for 46.
inline constexpr std::size_t kPlainHeaderBytes = kIpv4HeaderBytes + 8 + 8;

/// Writes it, sealed. Precondition: the frame has room for `bytes`, at least kPlainHeaderBytes.
void write_plain_frame(Frame& frame, const PlainFrame& of);
/// What a frame says; nothing if it is another kind of frame.
std::optional<PlainFrame> read_plain_frame(const Frame& frame);

}  // namespace rnicsim
