// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/receives.h"

namespace rnicsim::rc {

Status fit_receive(const Qp& qp, std::uint32_t offset, std::uint32_t bytes, Segments& to, const Decision& d) {
    const ReceiveSges& sges = qp.responder.receive->sges;
    const std::uint64_t room = bytes_of(sges);
    if (room > kMaxMessage) return Status::loc_qp_op;
    if (std::uint64_t{offset} + bytes > room) return Status::loc_len;
    const auto found = segments_of(sges, offset, bytes, qp, d.regions, kLocalWrite);
    if (!found) return Status::loc_prot;
    to = *found;
    return Status::success;
}

Completion completion_of(const Qp& qp, const RequestKind& kind, const roce::Header& h) {
    Completion c;
    c.solicited = h.solicited;
    c.bytes = qp.responder.bytes;
    c.verb = kind.write         ? Verb::write_imm
             : kind.immediate   ? Verb::send_imm
             : kind.invalidates ? Verb::send_inv
                                : Verb::send;
    if (kind.immediate) c.immediate_or_key = h.immediate;
    if (kind.invalidates) c.immediate_or_key = h.key;
    return c;
}

void complete_receive(Qp& qp, Completion c, Decision& d) {
    Responder& r = qp.responder;
    c.qp = qp.number;
    c.cq = qp.init.receive_cq;
    c.receive = true;
    c.index = r.receive->index;
    c.solicited = c.solicited || c.status != Status::success;
    d.actions.complete(c);
    r.receive.reset();
}

void fail_receive(Qp& qp, Status status, Decision& d) {
    complete_receive(qp, failed(status), d);
    qp.state = QpState::error;
}

}  // namespace rnicsim::rc
