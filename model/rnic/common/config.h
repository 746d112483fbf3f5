// SPDX-License-Identifier: Apache-2.0
// Resolved parameters of what every RNIC has: its MAC and its PCIe endpoint.
#pragma once

#include "tlm/time/cycle.h"

#include <cstdint>

namespace rnicsim {

/// Ethernet side: GMII at one byte a cycle.
struct GmacConfig {
    Cycle tx_latency{4};        ///< frame handed over -> first preamble byte on the wire
    Cycle rx_latency{2};        ///< last FCS byte received -> frame handed on (store and forward)
    Cycle interpacket_gap{12};  ///< IEEE 802.3 4.4.2: at least 96 bit times
    std::uint32_t mtu = 1500;   ///< largest MAC client data, bytes
};

/// PCIe endpoint and the link to the root complex.
struct PcieConfig {
    std::uint32_t generation = 1;                 ///< 1: 2.5 GT/s 8b/10b, 2: 5 GT/s 8b/10b, 3: 8 GT/s 128b/130b
    std::uint32_t lanes = 1;                      ///< 1, 2, 4, 8, 16
    std::uint32_t max_payload = 128;              ///< MPS, bytes
    std::uint32_t max_read_request = 512;         ///< MRRS, bytes
    std::uint32_t read_completion_boundary = 64;  ///< RCB, bytes
    std::uint32_t tags = 32;                      ///< outstanding MRd TLPs
    Cycle latency{19};                            ///< one way, last byte sent -> effect at the other end
    Cycle request_overhead{10};                   ///< DMA engine set-up, once per DMA request (not per TLP)
};

}  // namespace rnicsim
