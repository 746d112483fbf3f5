// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/congestion.h"

#include "tlm/roce/packet.h"
#include "tlm/time/mac_timing.h"

#include <algorithm>

namespace rnicsim::rc {
namespace {

bool hears(const Qp& qp, const Decision& d) {
    return d.config.congestion->hears_marks() && qp.init.service == Service::reliable && takes_requests(qp.state);
}

/// V-D1.
void notify_sender(Qp& qp, const Decision& d) {
    if (d.now < qp.pace.next_cnp) return;
    qp.pace.next_cnp = d.now + d.config.cnp_interval;
    qp.pace.cnp_due = true;
}

/// Bytes of payload of the request packet that leaves next.
std::uint32_t next_payload(const Qp& qp) {
    const SendQueue& queue = qp.requester.queue;
    const SendWqe& wqe = queue.current()->wqe;
    if (has_answer(wqe.verb)) return 0;
    const auto bytes = static_cast<std::uint32_t>(bytes_of(wqe));
    const std::uint32_t mtu = qp.attributes.path_mtu;
    if (!queue.current_begun()) return std::min(bytes, mtu);
    return std::min(bytes - distance(queue.current()->first, queue.cursor()) * mtu, mtu);
}

}  // namespace

Pace new_pace(const RcConfig& config, Service service) {
    Pace pace;
    if (service != Service::reliable) return pace;
    pace.control = AnyControl(config.congestion->start(config, {config.line_rate, config.port_mtu}));
    if (pace.control && config.congestion->hears_acks()) pace.in_flight.emplace();
    return pace;
}

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
    qp.pace.control->on_cnp(d.now);
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
    if (!qp.pace.control || !is_paced(lane, packet.header)) return;
    const auto frame = static_cast<std::uint32_t>(roce::frame_length(packet.header.opcode, packet.header.payload) +
                                                  (packet.path.is_ipv6() ? kIpv6HeaderBytes - kIpv4HeaderBytes : 0));
    constexpr auto kAround = static_cast<std::uint32_t>(kPreambleAndSfdBytes + kInterpacketGapBytes);
    const std::uint32_t bytes = frame + kAround;
    AnyControl& control = qp.pace.control;
    if (control->rate() != kNoRateLimit) {
        control->on_timer(d.now);
        // Its timers may have ended the limit just now.
        qp.pace.pacer.on_sent(d.now, bytes, std::min(control->rate(), d.config.line_rate));
    }
    control->on_sent(d.now, bytes);
}

bool fits_byte_window(const Qp& qp) {
    const InFlight& in_flight = *qp.pace.in_flight;
    // One packet may always be under way: a window smaller than it would stop the QP.
    if (in_flight.bytes() == 0 || in_flight.holds(qp.requester.queue.cursor())) return true;
    return in_flight.bytes() + next_payload(qp) <= qp.pace.control->window();
}

void tell_acknowledged(Qp& qp, bool by_ack, const Decision& d) {
    const InFlight::Acknowledged news = qp.pace.in_flight->acknowledge(qp.requester.queue.oldest());
    std::optional<Time> round_trip;
    if (by_ack && news.left_at) round_trip = d.now - *news.left_at;
    if (news.bytes != 0 || round_trip) qp.pace.control->on_ack(d.now, round_trip, news.bytes);
}

}  // namespace rnicsim::rc
