// The shortest times from a frame to the answer to it: what no timer can do without. Lower bounds, of the constants
// alone: what the link and the hosts have in store besides (queues, TLPs on their lanes, interrupts, faults) only adds
// to them.
#pragma once

#include "model/config.h"

namespace rnicsim {

/// REQ decided upon -> REQ_ACK at the initiator, of a host that registers the region. An interrupt is not in it: a
/// handler that runs already takes the event without one.
Cycle least_connecting(const RunConfig& config, unsigned initiator);

/// REL decided upon -> REL_ACK at the initiator.
Cycle least_release(const RunConfig& config, unsigned initiator);

/// Fetch of the first data frame decided upon -> its ACK at the end that sent it.
Cycle least_acknowledgement(const RunConfig& config, unsigned sender);

/// "Ready" decided upon -> first data frame at the initiator of a read.
Cycle least_first_data(const RunConfig& config, unsigned initiator);

}  // namespace rnicsim
