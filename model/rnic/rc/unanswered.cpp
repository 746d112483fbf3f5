// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/unanswered.h"

#include "model/rnic/rc/request_packet.h"
#include "model/rnic/rc/requester.h"

namespace rnicsim::rc {
namespace {

Status check(const SendWqe& wqe, const Qp& qp, const MrTable& regions) {
    if (!carries(qp.init.service, wqe.verb)) return Status::loc_qp_op;
    const bool datagram = qp.init.service == Service::datagram;
    if (datagram && bytes_of(wqe) > qp.attributes.path_mtu) return Status::loc_len;  // V-U2: one packet
    return check_local(wqe, qp, regions);
}

}  // namespace

std::optional<Packet> next_unanswered(Qp& qp, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    if ((qp.state != QpState::rts && qp.state != QpState::sqd) || queue.current() == nullptr) return {};
    // In its turn: when all before it have completed.
    const auto cannot = [&](Status status) {
        if (queue.outstanding() == 0) {
            complete_front(qp, status, d);
            qp.state = QpState::sqe;
        }
        return std::optional<Packet>{};
    };
    if (!queue.current_begun()) {
        const Status status = check(queue.current()->wqe, qp, d.regions);
        if (status != Status::success) return cannot(status);
        if (qp.state == QpState::sqd) return {};  // V-Q3
        queue.begin_current(qp.attributes.path_mtu);
        d.actions.reached(qp.number, Stage::begun, queue.begun_end());
    }
    const SendEntry& entry = *queue.current();
    const std::uint32_t at = distance(entry.first, queue.cursor());
    std::optional<Packet> packet =
        packet_of(header_of(entry, at, qp), at, entry.wqe, queue.current_number(), qp, d.regions);
    if (!packet) return cannot(Status::loc_prot);
    packet->tells_sent = true;
    ++qp.leaving;
    queue.sent(1);
    return packet;
}

void packet_sent(Qp& qp, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    if (qp.leaving-- > queue.outstanding()) return;  // its WQE was flushed, or is of before a RESET
    queue.advance(1);
    if (queue.oldest() == queue.front().end()) complete_front(qp, Status::success, d);
}

}  // namespace rnicsim::rc
