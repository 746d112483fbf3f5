// SPDX-License-Identifier: Apache-2.0
// The shortest time from a frame to its answer: no timer may be shorter. A lower bound, from the constants alone:
// queues, TLPs on their lanes, interrupts and faults only add to it.
#pragma once

#include "model/config.h"
#include "model/network/routes.h"

#include <string_view>
#include <vector>

namespace rnicsim {

/// A part of such a time.
struct LeastStep {
    Cycle time;
    unsigned end = 0;      ///< whose it is; 0 for links and switches
    std::string_view key;  ///< the path that sets it, without its end; empty: the frames themselves
};
using LeastSteps = std::vector<LeastStep>;

Cycle total(const LeastSteps& steps);

/// The key that takes most of it, and how much: all its steps together.
LeastStep longest(const LeastSteps& steps);

/// REQ decided upon -> REQ_ACK at the initiator; the host registers the region in between. Without an interrupt: a
/// handler that already runs takes the event without one.
LeastSteps least_connecting(const RunConfig& config, const Routes& routes, unsigned initiator, unsigned responder);

/// REL decided upon -> REL_ACK at the initiator.
LeastSteps least_release(const RunConfig& config, const Routes& routes, unsigned initiator, unsigned responder);

/// Fetch of the first data frame decided upon -> its ACK at the end that sent it.
LeastSteps least_acknowledgement(const RunConfig& config, const Routes& routes, unsigned sender, unsigned receiver);

/// "Ready" decided upon -> first data frame at the initiator of a read.
LeastSteps least_first_data(const RunConfig& config, const Routes& routes, unsigned initiator, unsigned responder);

}  // namespace rnicsim
