// What ordinary frames take of the wire.
#pragma once

#include "model/config.h"
#include "tlm/ethernet_frame.h"

#include <cstdint>

namespace rnicsim {

/// The pings of both ends, requests and the answers to them, as a share of the time of the wire that leaves `end`; more
/// than 1 where they fill it.
inline double ping_load(const RunConfig& config, unsigned end) {
    double load = 0;
    for (const EndSystemConfig& from : config.ends) {
        if (from.host.ping.sizes.empty()) continue;
        Cycle taken;  // in each interval
        for (const std::uint32_t size : from.host.ping.sizes) {
            taken += serialisation(frame_bytes(size)) + config.ends.at(end).rnic.gmac.interpacket_gap;
        }
        load += static_cast<double>(taken.n) / static_cast<double>(from.host.ping.interval.n);
    }
    return load;
}

}  // namespace rnicsim
