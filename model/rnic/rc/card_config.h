// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of a RoCEv2 RNIC. Times in cycles of its clock.
#pragma once

#include "model/rnic/common/config.h"
#include "model/rnic/rc/cache_config.h"
#include "model/rnic/rc/config.h"
#include "model/rnic/rc/in_verilog.h"
#include "tlm/time/clock.h"
#include "tlm/time/mac_timing.h"

#include <cstdint>

namespace rnicsim::rc {

struct CardConfig {
    RcConfig transport;
    CacheConfig cache;
    GmacConfig gmac;
    MacTiming wire;       ///< of its link
    Time pause_reaction;  ///< from the last bit of a pause frame until no frame of the class begins
    PcieConfig pcie;
    Cycle packet_interval{8};             ///< from a decision about a packet to the next one, each way
    Cycle qp_interval{8};                 ///< from a WQE of a QP to its next one
    Cycle tx_path{8};                     ///< a packet with its payload -> MAC
    Cycle rx_path{11};                    ///< MAC -> decision
    Cycle loopback{11};                   ///< a frame to the card itself has left -> it has come (V-Q7)
    bool cut_through = false;             ///< payload passes between PCIe and wire as it comes, both ways
    Cycle atomic_busy{8};                 ///< the atomic unit rests so long after each answer
    bool atomics_by_address = false;      ///< only atomics of one word wait for each other (V-S8)
    std::uint32_t tx_buffer = 22 * 1024;  ///< bytes of frames between the decision and the wire
    std::uint32_t rx_buffer = 40 * 1024;  ///< bytes of frames between the wire and DMA
    std::uint8_t dscp = 26;               ///< of all packets but CNPs
    std::uint8_t cnp_dscp = 48;           ///< class 6, as products have it
    Clock clock = kGmiiClock;
    InVerilog in_verilog;
};

}  // namespace rnicsim::rc
