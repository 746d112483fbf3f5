// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/datagram.h"

#include "model/rnic/rc/receives.h"
#include "model/rnic/rc/unanswered.h"

namespace rnicsim::rc {

using roce::Header;

std::optional<Packet> next_datagram(Qp& qp, Decision& d) {
    const SendEntry* const current = qp.requester.queue.current();
    const Destination to = current == nullptr ? Destination{} : destination_of(current->wqe);
    std::optional<Packet> packet = next_unanswered(qp, d);
    if (!packet) return packet;
    packet->peer = to.peer;
    packet->path = to.path;
    packet->header.to = to.qpn;
    packet->header.from = qp.number;
    packet->header.queue_key = (to.queue_key & kOwnQueueKey) != 0 ? qp.attributes.queue_key : to.queue_key;
    return packet;
}

Taken on_datagram(Qp& qp, const Header& h, Decision& d) {
    Responder& r = qp.responder;
    if (h.queue_key != qp.attributes.queue_key) {
        d.note(RcCount::bad_queue_keys, qp);
        return Taken::yes;
    }
    const auto dropped = [&] {
        d.note(RcCount::dropped_messages, qp);
        return Taken::yes;
    };
    if (!r.receive) {
        const ReceiveQueue::Look look = d.receives(qp).look(d.actions);
        if (look == ReceiveQueue::Look::reading) return Taken::later;
        if (look == ReceiveQueue::Look::none) return dropped();
        r.receive = d.receives(qp).take(qp.number, d.config.receive_batch, d.actions);
    }
    r.bytes = kGrhBytes + h.payload;
    Segments to;
    const Status fit = fit_receive(qp, 0, r.bytes, to, d);
    if (h.payload > qp.attributes.path_mtu || fit == Status::loc_len) return dropped();  // its receive WQE serves again
    if (fit != Status::success) {
        fail_receive(qp, fit, d);
        return Taken::yes;
    }
    d.actions.place({qp.number, h.psn, false, to, true});
    Completion c = completion_of(qp, kind_of(roce::operation_of(h.opcode)), h);
    c.grh = true;
    c.from = h.from;
    complete_receive(qp, c, d);
    return Taken::yes;
}

}  // namespace rnicsim::rc
