// SPDX-License-Identifier: Apache-2.0
// What programs on hosts with RoCEv2 RNICs do and are told.
#pragma once

#include "model/rnic/rc/verbs.h"
#include "testbench/events/rc/message_events.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>

namespace rnicsim {

/// A message as it is posted. `connection`: its number in the layout; `side`: who sends it, 0 the initiator.
struct PostedMessage {
    std::size_t connection = 0;
    unsigned side = 0;
    std::uint32_t number = 0;  ///< of this side, from 0
    rc::Verb verb{};
    std::uint32_t bytes = 0;
    roce::Psn first;  ///< it takes `packets` PSNs from here on
    std::uint32_t packets = 0;
    std::uint64_t place =
        0;  ///< where its payload lands: at the peer, of READ and atomics here; kUnknownPlace: in a shared receive
};

class VerbsObserver {
  public:
    virtual ~VerbsObserver() = default;
    /// Before the run begins: the QP of this side, in the order in which a host's QPs are made.
    virtual void connected(std::size_t connection, unsigned side, rc::Qpn qp) = 0;
    /// A receive WQE with this slot is posted to the queue that the QPs of a host share.
    virtual void receive_posted(unsigned host, std::uint32_t slot) = 0;
    /// `begins`: when the processor begins to work for it.
    virtual void posted(const PostedMessage& message, Time begins) = 0;
    /// A completion has been taken; one with an error ends what the QP had.
    virtual void completed(std::size_t connection, unsigned side, const rc::Completion& completion, Time now) = 0;
    /// The program has seen the last byte of message `number` of its peer.
    virtual void seen(std::size_t connection, unsigned side, std::uint32_t number, Time now) = 0;
    /// So many messages of the initiator are over.
    virtual void ended(std::size_t connection, std::uint32_t messages, Time now) = 0;
};

}  // namespace rnicsim
