// SPDX-License-Identifier: Apache-2.0
// Settings of the card, the same for all of its QPs.
#pragma once

#include "model/rnic/rc/congestion/common/algorithm.h"
#include "model/rnic/rc/congestion/configs.h"
#include "model/rnic/rc/policies/acknowledgement.h"
#include "model/rnic/rc/policies/retransmission.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::rc {

/// What the card does to make data durable (V-P1 to V-P5).
struct PersistConfig {
    std::uint32_t outstanding = 1;  ///< flush reads at once, 1 to 16
    std::uint32_t capacity = 64;    ///< requests that are not durable yet; while there are so many the next one waits
    bool coalesce = false;          ///< one flush read for all that was posted before it
    bool read_bypass = false;       ///< the flush read does not wait for the last bytes: wrong (n10)
    std::uint32_t hold = 64;        ///< PACKs of a QP that may wait for a receive WQE (V-P7)
    /// Without a PACK the last packet of a WRITE_PERSIST that is acknowledged is repeated; 0: never (V-P4).
    Time timer = kMicrosecond * 100;
    /// The module is firmware, which needs so long for each step, one after the other (V-P2, V-P6); 0: logic.
    Time firmware;
    // Attributes of TLPs (PCIe base specification 2.2.6).
    bool data_no_snoop = false, flush_no_snoop = false;
    bool relaxed_data = false, relaxed_cqe = false;
    std::uint8_t flush_class = 0;  ///< of the flush read; writes have 0
    bool same_line = false;        ///< the flush read reads what was written last; else a line of DRAM
};

struct RcConfig : CongestionConfigs {
    std::uint32_t max_qps = 16384;
    std::uint32_t port_mtu = 1024;           ///< bytes of payload: the longest datagram
    std::int64_t line_rate = 1'000'000'000;  ///< bit/s, of the port
    std::uint32_t window = 8'388'608;        ///< PSNs outstanding (V-R4); half of the numbers: no bound of its own
    std::uint32_t ack_interval = 16;         ///< packets between two that ask for an ACK (V-R3)
    std::uint32_t send_batch = 8;            ///< send WQEs that one DMA reads
    std::uint32_t receive_batch = 8;         ///< receive WQEs that are kept ready
    Time qp_rest = kMillisecond;             ///< a QPN is not used again before (V-Q4)
    const Retransmission* retransmission = &rc::retransmission("go_back_n");
    const Acknowledgement* acknowledgement = &rc::acknowledgement("coalesced");
    const CongestionAlgorithm* congestion = &rc::congestion_control("none");
    Time cnp_interval = kMicrosecond * 50;  ///< from a CNP of a QP to its next, at least (V-D1)
    bool nak_cnp = false;                   ///< a NAK of a gap brings a CNP, too (V-D6)
    PersistConfig persist;
};

}  // namespace rnicsim::rc
