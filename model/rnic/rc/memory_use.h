// SPDX-License-Identifier: Apache-2.0
// Which memory a decision's payload will touch, said before the decision is made: the card has to have its regions'
// entries and page tables by then (V-K4).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

struct MemoryUse {
    std::uint32_t key = 0;
    Segment where;
};
using MemoryUses = FixedList<MemoryUse, Segments::capacity()>;

/// Where the payload of a packet that has come will go, if it is taken.
MemoryUses memory_of(const Qp& qp, const roce::Header& header, const ReceiveQueue& receives);
/// Where the payload of the next packet of this lane is read, if one leaves.
MemoryUses memory_of_next(const Qp& qp, Lane lane);

}  // namespace rnicsim::rc
