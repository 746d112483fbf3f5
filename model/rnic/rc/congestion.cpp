// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/congestion.h"

#include "tlm/roce/packet.h"
#include "tlm/time/mac_timing.h"

namespace rnicsim::rc {
namespace {

bool hears(const Qp& qp, const Decision& d) {
    return d.config.congestion->on() && qp.init.service == Service::reliable && takes_requests(qp.state);
}

/// V-D1.
void notify_sender(Qp& qp, const Decision& d) {
    if (d.now < qp.pace.next_cnp) return;
    qp.pace.next_cnp = d.now + d.config.cnp_interval;
    qp.pace.cnp_due = true;
}

}  // namespace

void marked(Qp& qp, Decision& d) {
    if (!hears(qp, d)) return;
    d.note(RcCount::marked_packets, qp);
    notify_sender(qp, d);
}

void missed(Qp& qp, Decision& d) {
    if (d.config.nak_cnp && hears(qp, d)) notify_sender(qp, d);
}

void notified(Qp& qp, Decision& d) {
    if (!hears(qp, d)) return;
    d.note(RcCount::cnps_received, qp);
    qp.pace.rate.on_cnp(d.now, d.config.dcqcn);
}

std::optional<Packet> next_notification(Qp& qp, Decision& d) {
    if (!qp.pace.cnp_due) return {};
    qp.pace.cnp_due = false;
    if (!hears(qp, d)) return {};  // it was reset since
    d.note(RcCount::cnps_sent, qp);
    Packet packet;
    packet.header = roce::congestion_notification(qp.attributes.dest_qpn);
    packet.qp = qp.number;
    packet.peer = qp.attributes.peer;
    return packet;
}

void sent_at_pace(Qp& qp, const Packet& packet, Lane lane, const Decision& d) {
    if (!qp.pace.rate.limited() || !is_paced(lane, packet.header)) return;
    const auto frame = static_cast<std::uint32_t>(roce::frame_length(packet.header.opcode, packet.header.payload) +
                                                  (packet.path.is_ipv6() ? kIpv6HeaderBytes - kIpv4HeaderBytes : 0));
    constexpr auto kAround = static_cast<std::uint32_t>(kPreambleAndSfdBytes + kInterpacketGapBytes);
    qp.pace.rate.on_sent(d.now, frame + kAround, d.config.dcqcn);
}

}  // namespace rnicsim::rc
