// SPDX-License-Identifier: Apache-2.0
// What a QP does with requests, and how it answers them (V-S1 to V-S9, V-S13).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

Taken on_request(Qp& qp, const roce::Header& header, Decision& d);
/// The oldest payload of a request that was not posted yet is.
void request_posted(Qp& qp);
/// The atomic unit has found `original`.
void atomic_done(Qp& qp, Psn psn, std::uint64_t original);
/// The next answer, if one may leave now.
std::optional<Packet> next_answer(Qp& qp, Decision& d);

/// The request is refused: a NAK, the end of the receive WQE that its message has taken, an event, ERR. What is to be
/// answered before it still is.
void refuse(Qp& qp, roce::NakCode code, Status receive_status, Decision& d);

}  // namespace rnicsim::rc
