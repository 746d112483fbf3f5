// SPDX-License-Identifier: Apache-2.0
#include "testbench/kits/rc/rc_connection.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"

#include <algorithm>

namespace rnicsim {

std::array<rc::QpAttributes, 2> connect_qps(System& system, const RunConfig& config,
                                            const std::array<QpOfHost, 2>& ends, const QpsOfItem& item) {
    std::array<rc::QpAttributes, 2> both;
    for (unsigned side = 0; side < 2; ++side) {
        const QpOfHost &here = ends.at(side), &there = ends.at(1 - side);
        rc::QpAttributes& of = both.at(side);
        of = verbs_of(config, here.host).attributes;
        const rc::QpAttributes& peer = verbs_of(config, there.host).attributes;
        of.path_mtu = std::min(of.path_mtu, peer.path_mtu);
        of.max_rd_atomic = of.max_dest_rd_atomic = std::min(of.max_rd_atomic, peer.max_rd_atomic);
        of.access = item.access;
        of.peer = Peer{static_cast<std::uint16_t>(there.host)};
        of.path = item.path;
        of.dest_qpn = there.qp;
        of.queue_key = item.queue_key;
        verbs_end(system, here.host).rnic.connect(here.qp, of);
    }
    return both;
}

WireJudge::Connection wire_connection(System& system, const RunConfig& config, const std::array<QpOfHost, 2>& ends) {
    WireJudge::Connection known;
    for (unsigned side = 0; side < 2; ++side) {
        const QpOfHost& of = ends.at(side);
        const rc::RcConfig& card = verbs_of(config, of.host).card.transport;
        const rc::QpAttributes& attributes = verbs_end(system, of.host).rnic.transport().qp(of.qp)->attributes;
        known.ends.at(side) = {of.host, of.qp, attributes.sq_psn, card.window, attributes.max_rd_atomic};
        known.pmtu = attributes.path_mtu;
        known.in_order = known.in_order && !card.retransmission->selective();
        known.one_nak = known.one_nak && !card.retransmission->repeats_message();
    }
    return known;
}

}  // namespace rnicsim
