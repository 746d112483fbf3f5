// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/names/end_qps.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"

namespace rnicsim {

EndQps::EndQps(const RunConfig& run, const System& system) : system_(system) {
    for (unsigned host = 0; host < run.hosts.size(); ++host) speaks_.push_back(is_verbs(run, host));
}

const rc::Qp* EndQps::qp(unsigned host, roce::Qpn number) const {
    const bool speaks = host < speaks_.size() && speaks_[host];
    return speaks ? verbs_end(system_, host).rnic.transport().qp(number) : nullptr;
}

std::optional<EndQps::Requester> EndQps::requester(unsigned host, roce::Qpn number, bool is_self) const {
    const rc::Qp* const self = qp(host, number);
    if (self == nullptr || self->state == rc::QpState::reset || self->state == rc::QpState::init) return {};
    const rc::QpAttributes& at = self->attributes;
    if (is_self) {
        return Requester{static_cast<std::uint16_t>(host), rc::QpTable::ordinal(number), at.sq_psn,
                         self->requester.queue.settled()};
    }
    const rc::Qp* const asks = qp(raw(at.peer), at.dest_qpn);
    return Requester{static_cast<std::uint16_t>(raw(at.peer)), rc::QpTable::ordinal(at.dest_qpn), at.rq_psn,
                     asks != nullptr ? asks->requester.queue.settled() : at.rq_psn};
}

}  // namespace rnicsim
