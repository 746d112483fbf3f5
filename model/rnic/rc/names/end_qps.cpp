// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/names/end_qps.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"

namespace rnicsim {

EndQps::EndQps(const RunConfig& run, const System& system) : system_(system) {
    for (unsigned host = 0; host < run.hosts.size(); ++host) speaks_.push_back(is_verbs(run, host));
}

std::optional<EndQps::Qp> EndQps::qp(unsigned host, roce::Qpn number) const {
    if (host >= speaks_.size() || !speaks_[host]) return {};
    const rc::Qp* const qp = verbs_end(system_, host).rnic.transport().qp(number);
    if (qp == nullptr) return {};
    const rc::QpAttributes& at = qp->attributes;
    return Qp{.connected = qp->state != rc::QpState::reset && qp->state != rc::QpState::init,
              .ordinal = rc::QpTable::ordinal(number),
              .peer = raw(at.peer),
              .dest = at.dest_qpn,
              .dest_ordinal = rc::QpTable::ordinal(at.dest_qpn),
              .sends_from = at.sq_psn,
              .gets_from = at.rq_psn,
              .settled = qp->requester.queue.settled()};
}

std::optional<QpDirectory::Requester> EndQps::requester(unsigned host, roce::Qpn number, bool is_self) const {
    const std::optional<Qp> known = qp(host, number);
    if (!known || !known->connected) return {};
    if (is_self) return Requester{static_cast<std::uint16_t>(host), known->ordinal, known->sends_from, known->settled};
    const std::optional<Qp> asks = qp(known->peer, known->dest);
    return Requester{static_cast<std::uint16_t>(known->peer), known->dest_ordinal, known->gets_from,
                     asks ? asks->settled : known->gets_from};
}

}  // namespace rnicsim
