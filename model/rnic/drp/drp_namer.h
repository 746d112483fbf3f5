// SPDX-License-Identifier: Apache-2.0
// Names DRP frames on one direction of a link: transfer, kind, SN, and which transmission of it.
#pragma once

#include "model/network/link/frame_namer.h"
#include "model/rnic/drp/tid_sequence.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace rnicsim {

class DrpNamer final : public FrameNamer {
  public:
    bool name(const Frame& frame, FrameName& name) override;

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

    std::map<unsigned, Of> of_;  // by initiator, from its first frame on
};

}  // namespace rnicsim
