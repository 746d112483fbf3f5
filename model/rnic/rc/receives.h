// SPDX-License-Identifier: Apache-2.0
// A message that comes in, whatever its service: where it goes, and its receive WQE: whether it fits, and how it ends
// (V-S5, V-S9).
#pragma once

#include "model/rnic/rc/request_checks.h"

namespace rnicsim::rc {

/// The first packet of a SEND or WRITE.
inline void begin_message(Responder& r, const RequestKind& kind, const roce::Header& h) {
    r.bytes = 0;
    r.address = h.address;
    r.key = h.key;
    r.left = kind.write ? h.length : 0;
    r.persist = kind.persist;
}
/// Where a WRITE's packet goes.
inline Segments take_written(Responder& r, const roce::Header& h, const MrTable& regions) {
    Segments to;
    if (h.payload != 0) to.push({regions.bus(r.key, r.address), h.payload});
    r.address += h.payload;
    r.left -= h.payload;
    return to;
}

/// Does the WQE that the message has taken hold `bytes` more behind the first `offset`? Then `to` is where; else it is
/// LOC_LEN, or the WQE itself is wrong: LOC_QP_OP, LOC_PROT.
Status fit_receive(const Qp& qp, std::uint32_t offset, std::uint32_t bytes, Segments& to, const Decision& d);

/// Its CQE, behind the payload on the posted path (V-S9). `completion` says what the message was.
void complete_receive(Qp& qp, Completion completion, Decision& d);
/// ... of one that has failed.
inline Completion failed(Status status) {
    Completion c;
    c.status = status;
    return c;
}
/// UC, UD: the receive WQE itself is wrong, which is this side's own fault; the QP goes to ERR.
void fail_receive(Qp& qp, Status status, Decision& d);
/// ... that has come whole, with this last packet.
Completion completion_of(const Qp& qp, const RequestKind& kind, const roce::Header& header);

}  // namespace rnicsim::rc
