// SPDX-License-Identifier: Apache-2.0
// The requester of UC and UD: a packet is done with when the MAC has taken it, as nobody answers.
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// The next packet of the send queue, if there is one. A WQE that cannot be sent fails here: the QP goes to SQE.
std::optional<Packet> next_unanswered(Qp& qp, Decision& d);
/// The MAC has taken the oldest packet of the QP that it had not.
void packet_sent(Qp& qp, Decision& d);

}  // namespace rnicsim::rc
