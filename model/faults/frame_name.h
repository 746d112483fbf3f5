// The name of a frame on the wire: transfer, direction, kind, SN, and which transmission of it. The key of its random
// draws and of its entries on a fault tape.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace rnicsim {

enum class FrameKind : std::uint8_t { req, req_ack, data, ack, rel, rel_ack, ordinary };
inline constexpr std::array<std::string_view, 7> kFrameKindNames{"REQ", "REQ_ACK", "DATA",    "ACK",
                                                                 "REL", "REL_ACK", "ORDINARY"};

/// Of a frame on one direction of one link.
struct FrameName {
    std::uint64_t transfer = 0;   ///< number at its initiator, from 0; 0 of ordinary frames
    std::uint16_t initiator = 0;  ///< a host; 0 of ordinary frames
    std::uint16_t link = 0;
    std::uint8_t from_side = 0;  ///< of the link, 0 or 1
    FrameKind kind = FrameKind::req;
    std::uint32_t sn = 0;       ///< of data; else 0
    std::uint64_t ordinal = 0;  ///< n-th transmission, from 0: of this SN, of this kind, or of all ordinary frames

    friend auto operator<=>(const FrameName&, const FrameName&) = default;
};

}  // namespace rnicsim
