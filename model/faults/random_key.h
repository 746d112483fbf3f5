// SPDX-License-Identifier: Apache-2.0
// The random draws about a frame: a pure function of its name.
#pragma once

#include "model/faults/frame_name.h"
#include "model/random.h"

namespace rnicsim {

/// A transfer by its number at a host: unique, and of hosts 0 and 1 small.
inline std::uint64_t transfer_key(std::uint64_t transfer, std::uint64_t host) {
    return (host >> 1) << 40 | transfer << 1 | (host & 1);
}

/// Uniform in [0, 1).
inline double chance(const RandomSource& random, RandomStream stream, const FrameName& name) {
    const std::uint64_t what = std::uint64_t{name.link} << 48 | std::uint64_t{name.sn} << 16 |
                               std::uint64_t{name.from_side} << 8 | static_cast<std::uint64_t>(name.kind);
    // An ordinary frame has no transfer: its number takes that place.
    if (name.kind == FrameKind::ordinary) return random.uniform(stream, name.ordinal, what, 0);
    return random.uniform(stream, transfer_key(name.transfer, name.initiator), what, name.ordinal);
}

}  // namespace rnicsim
