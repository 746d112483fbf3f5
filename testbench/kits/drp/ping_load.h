// SPDX-License-Identifier: Apache-2.0
// The share of the wire that ordinary frames take.
#pragma once

#include "model/config.h"
#include "model/rnic/drp/end/end_config.h"
#include "tlm/ethernet/frame.h"

#include <cstdint>

namespace rnicsim {

/// The pings of both ends, requests and replies (only two hosts ping each other), as a share of the capacity of the
/// wire from `end`; above 1 if they do not fit.
inline double ping_load(const RunConfig& config, unsigned end) {
    double load = 0;
    for (const DrpEndConfig& from : drp_ends(config)) {
        if (from.host.ping.sizes.empty()) continue;
        Cycle taken;  // in each interval
        for (const std::uint32_t size : from.host.ping.sizes) {
            taken += serialisation(frame_bytes(size)) + drp_of(config, end).rnic.gmac.interpacket_gap;
        }
        load += static_cast<double>(taken.n) / static_cast<double>(from.host.ping.interval.n);
    }
    return load;
}

}  // namespace rnicsim
