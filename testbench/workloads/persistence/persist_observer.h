// SPDX-License-Identifier: Apache-2.0
// What the programs of items with a scheme do and are told: for who judges them, and for power cuts.
#pragma once

#include "model/rnic/rc/verbs.h"
#include "tlm/roce/psn.h"
#include "tlm/time/time.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace rnicsim {

/// A message about an item, or with its data.
struct PersistPost {
    std::size_t connection = 0;
    unsigned side = 0;  ///< whose program posts it: 0 the initiator's
    std::uint32_t item = 0;
    rc::Verb verb{};
    std::uint32_t bytes = 0;
};

/// `connection`: its number among those with a scheme in the layout. `item`: number of the data, from 0, of it.
class PersistObserver {
  public:
    virtual ~PersistObserver() = default;
    /// Their initiator begins to post them.
    virtual void posted(std::size_t connection, std::uint32_t item, Time begins) = 0;
    /// It is told that they are written.
    virtual void told_written(std::size_t connection, std::uint32_t item, Time now) = 0;
    /// ... that they are durable.
    virtual void told_persisted(std::size_t connection, std::uint32_t item, Time now) = 0;

    /// The responder posts these bytes as its region's table, before posted() of the first item.
    virtual void table_posted(std::size_t /*connection*/, std::span<const std::uint8_t> /*bytes*/) {}

    // How it comes to that: for who shows it.
    /// A QP is there, which sends this PSN first.
    virtual void connected(std::size_t /*connection*/, unsigned /*side*/, rc::Qpn /*qp*/, roce::Psn /*first*/,
                           std::uint32_t /*pmtu*/) {}
    /// Before posted() of the item, where it is the first.
    virtual void message_posted(const PersistPost& /*post*/, Time /*begins*/) {}
    /// The program of a host takes a CQE; what comes of that follows.
    virtual void takes_completion(unsigned /*host*/) {}
    /// The program of `side` has taken the other one's message.
    virtual void message_taken(std::size_t /*connection*/, unsigned /*side*/, std::uint32_t /*item*/, Time /*now*/) {}
    /// The responder's processor begins to flush the data.
    virtual void flushes(std::size_t /*connection*/, std::uint32_t /*item*/, Time /*begins*/) {}
    /// Nobody will be told of this connection's items any more.
    virtual void failed(std::size_t /*connection*/, Time /*now*/) {}
};

}  // namespace rnicsim
