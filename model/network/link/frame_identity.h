// SPDX-License-Identifier: Apache-2.0
// Names a frame on the wire: transfer, kind, SN, and which transmission of it. Uses only the bytes, so that an RNIC in
// RTL gets the same draws.
#pragma once

#include "model/faults/frame_name.h"
#include "model/network/link/roce_identity.h"
#include "model/rnic/drp/tid_sequence.h"
#include "tlm/ethernet/frame.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace rnicsim {

/// Counts the frames of one direction of a link.
class FrameIdentity {
  public:
    /// `from_side`: 0 or 1, of the link, where this direction begins. `qps`: not owned.
    FrameIdentity(unsigned link, unsigned from_side, const QpDirectory& qps)
        : link_(static_cast<std::uint16_t>(link)), from_side_(static_cast<std::uint8_t>(from_side)), roce_(qps) {}

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

    /// What has been sent of one initiator's transfers.
    struct Of {
        TidSequence numbers;
        std::vector<Recent> recent;
    };

    std::uint16_t link_;
    std::uint8_t from_side_;
    RoceIdentity roce_;
    std::uint64_t ordinary_ = 0;
    std::map<unsigned, Of> of_;  // by initiator, from its first frame on
};

}  // namespace rnicsim
