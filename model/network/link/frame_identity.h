// Names a frame on the wire: transfer, kind, SN, and which transmission of it. Uses only the bytes, so that an RNIC in
// RTL gets the same draws.
#pragma once

#include "model/faults/frame_name.h"
#include "model/tid_sequence.h"
#include "tlm/ethernet_frame.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rnicsim {

/// Counts the frames of one direction of a link.
class FrameIdentity {
  public:
    /// `from_end`: 0 or 1, the end that sends in this direction.
    explicit FrameIdentity(unsigned from_end) : from_end_(static_cast<std::uint8_t>(from_end)) {}

    /// Names the next frame in this direction.
    FrameName identify(const Frame& frame);

  private:
    static constexpr std::uint32_t kRecent =
        256;  ///< transfers remembered per initiator: those in flight (at most 64) and their late copies
    static constexpr std::uint32_t kWindow = 64;  ///< largest window: SNs whose transmissions are counted

    struct Recent {
        std::uint64_t transfer = ~std::uint64_t{0};
        std::array<std::uint32_t, 6> sent{};  // by kind; data: unused
        std::array<std::uint32_t, kWindow> sn{};
        std::array<std::uint32_t, kWindow> sn_sent{};
    };

    std::uint8_t from_end_;
    std::array<TidSequence, 2> numbers_;  // by initiator
    std::uint64_t ordinary_ = 0;
    std::array<std::vector<Recent>, 2> recent_;  // by initiator; empty until it has sent something
};

}  // namespace rnicsim
