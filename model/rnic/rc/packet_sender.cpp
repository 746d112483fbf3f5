// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/packet_sender.h"

#include "model/rnic/rc/congestion.h"
#include "model/rnic/rc/dma.h"
#include "tlm/ethernet/tcp.h"

#include <algorithm>

namespace rnicsim::rc {

PacketSender::PacketSender(const CardConfig& config, unsigned host, PcieEndpoint& pcie, FramePool& frames,
                           RcTransport& transport, const WorkQueues& queues, Loopback& loopback, IcrcEngine& icrc,
                           PacketBuilder& builder, RcActions& actions)
    : config_(config),
      host_(host),
      most_used_(config.tx_buffer - (config.gmac.mtu + kEthernetHeaderBytes + kFcsBytes)),
      pcie_(pcie),
      frames_(frames),
      transport_(transport),
      queues_(queues),
      loopback_(loopback),
      icrc_(icrc),
      builder_(builder),
      actions_(actions),
      pauses_(config.wire, config.pause_reaction) {}

void PacketSender::decide(Cycle now) {
    if (now < decides_at_ || asks_in_vain_) return;
    if (ethernet_ != nullptr) {
        ethernet_asked_ = !ethernet_asked_ && ask_ethernet(now);
        if (ethernet_asked_) return;
    }
    // Requests and answers take turns.
    const std::array<Lane, kLanes> order = request_had_turn_
                                               ? std::array{Lane::notification, Lane::answer, Lane::request}
                                               : std::array{Lane::notification, Lane::request, Lane::answer};
    for (const Lane lane : order) {
        if (lane == Lane::answer && acks_ >= kAcksAhead) continue;
        if (!ask(now, lane)) continue;
        if (lane != Lane::notification) request_had_turn_ = lane == Lane::request;
        return;
    }
    asks_in_vain_ = ethernet_ == nullptr || !ask_ethernet(now);
}

bool PacketSender::ask_ethernet(Cycle now) {
    if (!ethernet_->has_frame()) return false;
    const EthernetCut cut = ethernet_->next(now);
    rested_at_ = now + std::max(config_.packet_interval, Cycle{1});
    Slot slot;
    slot.frame = frames_.take();
    slot.frame->set_length_from_header(cut.header_bytes + cut.payload());
    const std::span<std::uint8_t> bytes = slot.frame->writable_bytes();
    std::ranges::copy(std::span(cut.header).first(cut.header_bytes), bytes.begin());
    slot.frame->seal(write_tcp_checksum);
    slot.bytes = static_cast<std::uint32_t>(slot.frame->length());
    slot.plain = cut.payload() == 0;
    slot.dscp = kEthernetDscp;
    slot.ready = now + config_.tx_path;
    used_ += slot.bytes;
    plan();
    Slots& slots = lanes_[kEthernet];
    const std::uint64_t context = std::uint64_t{kEthernet} << 32U | slots.end();
    for (const TxDescriptor::Piece& piece : cut.pieces) slot.reads += piece.bytes == 0 ? 0 : 1;
    const FrameRef frame = slot.frame;
    slots.push(std::move(slot));
    std::uint8_t* into = &bytes[cut.header_bytes];
    std::uint64_t at = 0;
    for (const TxDescriptor::Piece& piece : cut.pieces) {
        if (piece.bytes == 0) continue;
        pcie_.read(now, piece.address, piece.bytes, dma_purpose::kPayload, {*this, into, at << 40U | context, frame});
        into += piece.bytes;
        at += piece.bytes;
    }
    return true;
}

roce::Route PacketSender::route_of(const Packet& packet, Lane lane, bool markable) const {
    roce::Route route;
    route.from = host_;
    route.to = raw(packet.peer);
    const Path& path = packet.path;
    route.flow_label = path.flow_label != 0 ? path.flow_label : roce::flow_label(packet.qp, packet.header.to);
    route.source_port = roce::source_port(route.flow_label);
    route.source = path.source;
    route.destination = path.destination;
    if (path.hop_limit != 0) route.hop_limit = path.hop_limit;
    route.dscp = config_.dscp;
    if (lane == Lane::notification) {
        route.dscp = config_.cnp_dscp;
    } else if (path.dscp != Path::kOwnDscp) {
        route.dscp = path.dscp;
    }
    if (markable) route.ecn = Ecn::capable;
    return route;
}

bool PacketSender::ask(Cycle now, Lane lane) {
    const std::optional<Packet> packet = transport_.next_packet(config_.clock.time(now), lane, actions_);
    if (!packet) return false;
    rested_at_ = now + std::max(config_.packet_interval, Cycle{1});
    Slot slot;
    slot.frame = frames_.take();
    // CNPs are ECN-capable as data are, so that a switch does not drop them in place of marking.
    const bool markable =
        lane == Lane::notification || (config_.transport.congestion->hears_marks() && is_paced(lane, packet->header));
    const roce::Route route = route_of(*packet, lane, markable);
    slot.dscp = route.dscp;
    const std::span<std::uint8_t> room = builder_.format(*slot.frame, route, packet->header);
    slot.bytes = static_cast<std::uint32_t>(slot.frame->length());
    slot.plain = packet->header.payload == 0;
    slot.tells_sent = packet->tells_sent;
    slot.qp = packet->qp;
    slot.inside = raw(packet->peer) == host_;
    slot.ready = now + config_.tx_path;
    used_ += slot.bytes;
    plan();
    acks_ += slot.plain && lane == Lane::answer ? 1 : 0;
    ++counters_.packets;
    counters_.payload_packets += slot.plain ? 0 : 1;
    Slots& slots = lanes_[static_cast<std::size_t>(lane)];
    const std::uint64_t context = std::uint64_t{static_cast<std::uint8_t>(lane)} << 32U | slots.end();
    if (packet->from_wqe && !room.empty()) {
        std::ranges::copy(queues_.inline_payload(packet->qp, packet->wqe, packet->offset, packet->header.payload),
                          room.begin());
    } else {
        slot.reads = static_cast<std::uint32_t>(packet->from.size());
    }
    FrameRef frame = slot.frame;
    slots.push(std::move(slot));
    std::size_t at = 0;
    for (const Segment& segment : packet->from) {
        const std::uint64_t part = std::uint64_t{at} << 40U | context;
        pcie_.read(now, segment.address, segment.length, dma_purpose::kPayload, {*this, &room[at], part, frame});
        at += segment.length;
    }
    return true;
}

Cycle PacketSender::read_comes(Cycle first, Cycle last, std::uint32_t bytes, std::uint64_t context) {
    Slot& slot = lanes_[context >> 32U & 0xFFU][static_cast<std::uint32_t>(context)];
    const auto offset = static_cast<std::uint32_t>(context >> 40U);
    const Cycle here = config_.cut_through ? streams_from(first, last, offset, bytes) : last;
    slot.ready = std::max(slot.ready, here + config_.tx_path);
    slot.all_ready = last + config_.tx_path;  // they come in order
    return --slot.reads == 0 && config_.cut_through ? slot.ready : kNever;
}

Cycle PacketSender::streams_from(Cycle first, Cycle last, std::uint32_t offset, std::uint32_t bytes) const {
    const auto on_wire = [&](std::uint32_t before) {
        return Cycle{(config_.wire.per_byte * static_cast<std::int64_t>(before)).ps / config_.clock.period().ps};
    };
    // Bytes come and go at even rates, so the first and the last TLP are the bounds.
    const std::uint32_t last_tlp = std::min(bytes, config_.pcie.max_payload);
    const auto back = [](Cycle from, Cycle by) { return by < from ? from - by : Cycle{}; };
    return std::max(back(first, on_wire(offset)), back(last, on_wire(offset + bytes - last_tlp)));
}

void PacketSender::transmit(Cycle now, Gmac& gmac) {
    if (now < wire_free_) return;
    if (ethernet_ != nullptr) {
        ethernet_sent_ = !ethernet_sent_ && send_ethernet(now, gmac);
        if (ethernet_sent_) return;
    }
    const std::array<Lane, kLanes> order = answer_next_ ? std::array{Lane::notification, Lane::answer, Lane::request}
                                                        : std::array{Lane::notification, Lane::request, Lane::answer};
    for (const Lane lane : order) {
        Slots& slots = lanes_.at(static_cast<std::size_t>(lane));
        if (!ready(slots, now) || opens_at(slots, now) > now) continue;
        Slot slot = slots.pop_front();
        used_ -= slot.bytes;
        leaving_ = slot.bytes;
        left_at_ = slot.all_ready;
        plan();
        if (lane != Lane::notification) answer_next_ = lane == Lane::request;
        if (slot.plain && lane == Lane::answer) {
            --acks_;
            asks_in_vain_ = false;
        }
        icrc_.complete(*slot.frame);
        if (slot.inside) {
            wire_free_ = loopback_.send(std::move(slot.frame), now);
        } else {
            gmac.transmit(std::move(slot.frame), now);
            wire_free_ = gmac.ready_at();
        }
        if (slot.tells_sent) transport_.on_sent(config_.clock.time(now), slot.qp, actions_);
        return;
    }
    if (ethernet_ != nullptr) ethernet_sent_ = send_ethernet(now, gmac);
}

bool PacketSender::send_ethernet(Cycle now, Gmac& gmac) {
    Slots& slots = lanes_[kEthernet];
    if (!ready(slots, now) || opens_at(slots, now) > now) return false;
    Slot slot = slots.pop_front();
    used_ -= slot.bytes;
    leaving_ = slot.bytes;
    left_at_ = slot.all_ready;
    plan();
    gmac.transmit(std::move(slot.frame), now);
    wire_free_ = gmac.ready_at();
    return true;
}

Cycle PacketSender::opens_at(const Slots& lane, Cycle now) {
    const Slot& first = lane.front();
    if (first.inside) return loopback_.opens_at(now, first.bytes);
    // A pause may end between two cycles: what it has held back now can go in the next one.
    const Time at = begins(now);
    return paused(lane, at) ? config_.clock.edge(pauses_.next_end(at)) - config_.gmac.tx_latency : now;
}

Cycle PacketSender::next_due(Cycle now) {
    Cycle next = kNever;
    if (!asks_in_vain_) next = std::max(decides_at_, now + Cycle{1});
    const auto look_at = [&](const Slots& lane) {
        if (lane.empty() || lane.front().reads != 0) return;
        const Cycle sent = std::max(lane.front().ready, wire_free_);
        if (sent < next) next = std::min(next, std::max(sent, opens_at(lane, now + Cycle{1})));
    };
    for (std::size_t lane = 0; lane < kLanes; ++lane) look_at(lanes_[lane]);
    if (ethernet_ == nullptr) return next;
    look_at(lanes_[kEthernet]);
    return std::min(next, ethernet_->next_due());
}

}  // namespace rnicsim::rc
