// Settings of the card, the same for all of its QPs.
#pragma once

#include "model/rnic/rc/policies/acknowledgement.h"
#include "model/rnic/rc/policies/congestion.h"
#include "model/rnic/rc/policies/dcqcn.h"
#include "model/rnic/rc/policies/retransmission.h"
#include "tlm/time/time.h"

#include <cstdint>

namespace rnicsim::rc {

struct RcConfig {
    std::uint32_t max_qps = 16384;
    std::uint32_t port_mtu = 1024;    ///< bytes of payload: the longest datagram
    std::uint32_t window = 16;        ///< PSNs outstanding (V-R4)
    std::uint32_t ack_interval = 16;  ///< packets between two that ask for an ACK (V-R3)
    std::uint32_t send_batch = 8;     ///< send WQEs that one DMA reads
    std::uint32_t receive_batch = 8;  ///< receive WQEs that are kept ready
    Time qp_rest = kMillisecond;      ///< a QPN is not used again before (V-Q4)
    const Retransmission* retransmission = &rc::retransmission("go_back_n");
    const Acknowledgement* acknowledgement = &rc::acknowledgement("coalesced");
    const CongestionControl* congestion = &rc::congestion_control("none");
    Time cnp_interval = kMicrosecond * 50;  ///< from a CNP of a QP to its next, at least (V-D1)
    bool nak_cnp = false;                   ///< a NAK of a gap brings a CNP, too (V-D6)
    DcqcnConfig dcqcn;
};

}  // namespace rnicsim::rc
