// SPDX-License-Identifier: Apache-2.0
// Data that the responder's processor makes durable. Its card tells its program of each WRITE_PERSIST by the CQE of a
// receive WQE (V-P6); the program has a PACK sent, which the requester's card hands to its program with a receive WQE
// as well (V-P7). No packet waits for these receive WQEs, and no doorbell says that there are any: who finds none looks
// again. Precondition of all: by_processor(qp); its receive queue is not shared.
#pragma once

#include "model/rnic/rc/qp.h"

namespace rnicsim::rc {

/// Is there room for one WRITE_PERSIST more of which the processor is to be told?
inline bool may_ask_processor(const Qp& qp, const Decision& d) {
    return qp.responder.asked.size() < d.config.persist.capacity;
}
/// The last packet of a WRITE_PERSIST has been accepted: the program gets to know, in its turn.
void ask_processor(Qp& qp, const AskedPersist& what, Decision& d);
/// PACKs that the program has posted, in their turn: when all before them have completed.
void send_packs(Qp& qp, Decision& d);

/// What waits for receive WQEs takes those that there are; if they are too few the card reads the queue.
void look_for_receives(Qp& qp, Decision& d);
/// The queue has been read.
void receives_came(Qp& qp, Decision& d);
/// The time for another look has come.
void look_again(Qp& qp, Decision& d);
/// ERR: nobody is told any more.
void forget_asked(Qp& qp);

}  // namespace rnicsim::rc
