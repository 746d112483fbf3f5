// SPDX-License-Identifier: Apache-2.0
// How a message becomes packets, whatever its service: which WQEs can be sent, opcodes, headers, where the payload is
// read (V-R1).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// LOC_QP_OP or LOC_PROT, if this side has a reason not to send it.
Status check_local(const SendWqe& wqe, const Qp& qp, const MrTable& regions);
/// The headers of packet `at` of a message, but for AckReq and what a READ or an atomic asks for.
roce::Header header_of(const SendEntry& entry, std::uint32_t at, const Qp& qp);
/// The packet with this header, `at` of the message of WQE `number`. Nothing: its memory may not be read (any more).
std::optional<Packet> packet_of(const roce::Header& header, std::uint32_t at, const SendWqe& wqe, std::uint32_t number,
                                const Qp& qp, const MrTable& regions);

}  // namespace rnicsim::rc
