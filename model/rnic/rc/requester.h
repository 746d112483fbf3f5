// SPDX-License-Identifier: Apache-2.0
// What a QP sends, and when it sends it again (V-R1 to V-R11).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// The next packet of the send queue, if one may leave now. A WQE that cannot be sent fails here.
std::optional<Packet> next_request(Qp& qp, Decision& d);
/// The acknowledgement timer has expired.
void ack_timer_expired(Qp& qp, Decision& d);
/// The oldest WQE ends with this status, and the QP goes to ERR.
void fail(Qp& qp, Status status, Decision& d);
/// The oldest WQE has ended.
void complete_front(Qp& qp, Status status, Decision& d);
/// Its CQE, if it was signaled or has failed (V-C7).
void complete_send(const Qp& qp, const SendEntry& entry, std::uint32_t number, Status status, Decision& d);
/// What is outstanding is sent again, as the policy `retransmission` says.
void resend(Qp& qp, const Decision& d);
/// A packet is known to be lost: one try less, resend (V-R9, V-C4). False: this was known, and costs nothing.
bool lost(Qp& qp, Decision& d);
/// Selective repeat: what has not come up to `last` is lost; what is behind may still come (V-R11). False: as above.
bool lost_up_to(Qp& qp, Psn last, Decision& d);

}  // namespace rnicsim::rc
