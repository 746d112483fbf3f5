// The random draws about a frame: a pure function of its name.
#pragma once

#include "model/faults/frame_name.h"
#include "model/random.h"

namespace rnicsim {

/// Uniform in [0, 1).
inline double chance(const RandomSource& random, RandomStream stream, const FrameName& name) {
    const std::uint64_t what =
        std::uint64_t{name.sn} << 16 | std::uint64_t{name.from_end} << 8 | static_cast<std::uint64_t>(name.kind);
    // An ordinary frame has no transfer: its number takes that place.
    if (name.kind == FrameKind::ordinary) return random.uniform(stream, name.ordinal, what, 0);
    return random.uniform(stream, name.transfer << 1 | name.initiator, what, name.ordinal);
}

}  // namespace rnicsim
