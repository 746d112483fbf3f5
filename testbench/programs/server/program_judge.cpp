// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/server/program_judge.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"

namespace rnicsim::programs {
namespace {

/// A QP of a reliable connection that may send and has not sent yet; else null.
const rc::Qp* fresh(System& system, unsigned host, rc::Qpn number) {
    if (host >= system.hosts()) return nullptr;
    const rc::Qp* const qp = verbs_end(system, host).rnic.transport().qp(number);
    const bool is = qp != nullptr && qp->init.service == rc::Service::reliable && qp->state == rc::QpState::rts &&
                    qp->requester.queue.next() == qp->attributes.sq_psn;
    return is ? qp : nullptr;
}

}  // namespace

void ProgramJudge::modified(unsigned host, rc::Qpn number) {
    const rc::Qp* const here = fresh(*system_, host, number);
    if (here == nullptr) return;
    const auto other = static_cast<unsigned>(here->attributes.peer);
    const rc::Qp* const there = fresh(*system_, other, here->attributes.dest_qpn);
    if (there == nullptr || static_cast<unsigned>(there->attributes.peer) != host ||
        there->attributes.dest_qpn != number)
        return;
    if (there->attributes.rq_psn != here->attributes.sq_psn || here->attributes.rq_psn != there->attributes.sq_psn)
        return;  // what they send will not be taken
    if (there->attributes.path_mtu != here->attributes.path_mtu) return;
    WireJudge::Connection known;
    const auto end = [&](unsigned of, const rc::Qp& qp) {
        const rc::RcConfig& card = verbs_of(config_, of).card.transport;
        return WireJudge::End{of, qp.number, qp.attributes.sq_psn, card.window, qp.attributes.max_rd_atomic};
    };
    known.ends = {end(host, *here), end(other, *there)};
    known.pmtu = here->attributes.path_mtu;
    const auto rule = [&](unsigned of) { return verbs_of(config_, of).card.transport.retransmission; };
    known.in_order = !rule(host)->selective() && !rule(other)->selective();
    known.one_nak = !rule(host)->repeats_message() && !rule(other)->repeats_message();
    wire_.connect(known);
}

}  // namespace rnicsim::programs
