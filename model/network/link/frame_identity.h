// SPDX-License-Identifier: Apache-2.0
// Names the frames of one direction of a link: by their protocol, or else by their number.
#pragma once

#include "model/network/link/frame_namer.h"

#include <cstdint>
#include <utility>

namespace rnicsim {

class FrameIdentity {
  public:
    /// `from_side`: 0 or 1, of the link, where this direction begins.
    FrameIdentity(unsigned link, unsigned from_side, FrameNamers namers)
        : link_(static_cast<std::uint16_t>(link)),
          from_side_(static_cast<std::uint8_t>(from_side)),
          namers_(std::move(namers)) {}

    /// Names the next frame in this direction.
    FrameName identify(const Frame& frame) {
        FrameName name;
        name.link = link_;
        name.from_side = from_side_;
        if (!named(frame, name)) {
            name.kind = FrameKind::ordinary;
            name.ordinal = ordinary_++;
        }
        return name;
    }

  private:
    /// Nobody knows what a frame is that was damaged on an earlier link.
    bool named(const Frame& frame, FrameName& name) {
        if (!frame.fcs_good()) return false;
        for (const auto& namer : namers_) {
            if (namer->name(frame, name)) return true;
        }
        return false;
    }

    std::uint16_t link_;
    std::uint8_t from_side_;
    FrameNamers namers_;
    std::uint64_t ordinary_ = 0;
};

}  // namespace rnicsim
