// SPDX-License-Identifier: Apache-2.0
// What a QP's service decides: RC has requester, completer and responder, UC and UD have less. Queues, states, turns at
// the port and regions are the same for all (rc_transport.h).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

struct ServiceRules {
    bool one_peer;  ///< packets of others are dropped
    std::optional<Packet> (*next_request)(Qp& qp, Decision& d);
    /// Not a CNP.
    Taken (*on_packet)(Qp& qp, const roce::Header& header, Decision& d);
};
/// Precondition: a QP may have it.
const ServiceRules& rules_of(Service service);

}  // namespace rnicsim::rc
