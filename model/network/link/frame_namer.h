// SPDX-License-Identifier: Apache-2.0
// Names of frames, by which faults find them. A link knows no protocol: each personality of the run names its own.
#pragma once

#include "model/faults/frame_name.h"
#include "tlm/ethernet/frame.h"

#include <memory>
#include <vector>

namespace rnicsim {

/// Names one protocol's frames on one direction of a link, in the order in which they are sent. Uses only the bytes, so
/// that an RNIC in RTL gets the same draws.
class FrameNamer {
  public:
    virtual ~FrameNamer() = default;
    /// Completes the name of a frame whose FCS is good: kind, who asks, number, and which transmission of it. False: it
    /// is none of this protocol, or of no connection, and `name` is as it was.
    virtual bool name(const Frame& frame, FrameName& name) = 0;
};
using FrameNamers = std::vector<std::unique_ptr<FrameNamer>>;

class FrameNaming {
  public:
    virtual ~FrameNaming() = default;
    /// Those of one direction of a link, one for each protocol that has names.
    [[nodiscard]] virtual FrameNamers namers() const = 0;
};

}  // namespace rnicsim
