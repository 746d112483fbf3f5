// SPDX-License-Identifier: Apache-2.0
// Unreliable datagrams: where they go to and come from, and the responder (V-U2, V-U3).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// The next datagram of the send queue; its WQE says where it goes.
std::optional<Packet> next_datagram(Qp& qp, Decision& d);
/// A packet of UD. Precondition: the QP takes requests.
Taken on_datagram(Qp& qp, const roce::Header& header, Decision& d);

}  // namespace rnicsim::rc
