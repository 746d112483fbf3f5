// SPDX-License-Identifier: Apache-2.0
// The requester's part: send WQEs that are acknowledged and have not completed, as a WRITE_PERSIST among them waits for
// its PACK, or one before it does (V-P3, V-C7).
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// The oldest WQE is acknowledged: it completes, or is held.
void acknowledge_front(Qp& qp, Decision& d);
/// PACK: all up to here is durable. False: nothing waited for it. `exact`: only what ends there is meant.
bool pack_came(Qp& qp, Psn psn, bool exact, Decision& d);
/// Is an ACK of this PSN the second one of it, where that is the PACK?
bool is_second_ack(const Qp& qp, const roce::Header& header);
/// WR_FLUSH for all that is held.
void flush_held(Qp& qp, Decision& d);
/// No receive WQE is there for PACKs, and no place for more than `hold` of them: it is as if the others had not come.
void drop_packs(Qp& qp, Decision& d);
/// Places of the send queue that they take.
std::uint32_t places_of_held(const Qp& qp);
/// A repeat waits for its turn at the port.
bool repeat_is_due(const Qp& qp);
/// When a WRITE_PERSIST that has had no PACK is to be repeated; kEndOfTime: none is.
Time repeat_at(const Qp& qp);
/// Its time has come: it waits for its turn at the port; or it is over, after retry_cnt repeats.
void repeat_expired(Qp& qp, Decision& d);
/// The last packet of the WRITE_PERSIST whose repeat is due.
std::optional<Packet> next_repeat(Qp& qp, Decision& d);

}  // namespace rnicsim::rc
