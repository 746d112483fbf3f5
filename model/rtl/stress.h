// SPDX-License-Identifier: Apache-2.0
// Gives a block frames that a scenario may never have: damaged ones, runts, too long ones, malformed ones, in any order
// and as close as they may come. Each is judged as in a strict place: the first that is handled wrong throws RtlFault.
#pragma once

#include "model/rnic/drp/blocks.h"

#include <cstdint>

namespace rnicsim {

struct StressCounts {
    std::uint64_t good = 0, damaged = 0, runt = 0, oversize = 0, marked = 0;  ///< to a MAC from the wire; marked: RX_ER
    std::uint64_t close = 0;  ///< in pairs, as close as they may come; of blocks with streams
    std::uint64_t sent = 0;   ///< by it
    std::uint64_t drp = 0, ordinary = 0, elsewhere = 0, malformed = 0, bad = 0;  ///< to a filter; bad: with tuser
};

/// So many frames each way.
StressCounts stress(MacEngine& mac, std::uint32_t seed, std::uint64_t frames);
/// `own`: its station.
StressCounts stress(FilterEngine& filter, const MacAddress& own, std::uint32_t seed, std::uint64_t frames);

}  // namespace rnicsim
