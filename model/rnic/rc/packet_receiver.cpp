// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/packet_receiver.h"

#include "model/rnic/rc/dma.h"
#include "tlm/ethernet/host_address.h"
#include "tlm/ethernet/tcp.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <utility>

namespace rnicsim::rc {
namespace {

/// A frame of nobody is a packet of nobody's QP.
Peer sender_of(const Frame& frame) {
    return Peer{static_cast<std::uint16_t>(host_of(frame.source()).value_or(~std::uint16_t{0}))};
}

/// What a datagram's receive buffer gets: an IPv6 header, or that of IPv4 where a GRH ends, then the payload.
FrameRef with_grh(FramePool& frames, const Frame& frame, const roce::Packet& packet) {
    const std::span<const std::uint8_t> payload = roce::payload(frame, packet);
    FrameRef staged = staging(frames, kGrhBytes + payload.size());
    const std::span<std::uint8_t> out = staged->writable_bytes();
    const std::size_t header = frame.ether_type() == kIpv6EtherType ? kIpv6HeaderBytes : kIpv4HeaderBytes;
    const std::size_t zeros = kGrhBytes - header;
    std::ranges::fill(out.first(zeros), std::uint8_t{0});
    std::ranges::copy(frame.front(kIpv4At + header).subspan(kIpv4At), out.subspan(zeros).begin());
    std::ranges::copy(payload, out.subspan(kGrhBytes).begin());
    return staged;
}

}  // namespace

PacketReceiver::PacketReceiver(const CardConfig& config, unsigned host, PcieEndpoint& pcie, const DmaBacklog& dma,
                               FramePool& frames, ContextLines& lines, RcTransport& transport, IcrcEngine& icrc,
                               PacketParser& parser, RcActions& actions)
    : config_(config),
      host_(host),
      pcie_(pcie),
      frames_(frames),
      dma_(dma),
      lines_(lines),
      transport_(transport),
      icrc_(icrc),
      parser_(parser),
      actions_(actions) {}

Cycle PacketReceiver::put(FrameRef frame, Cycle due) {
    if (host_of(frame->destination()) != host_) {
        ++counters_.other_destination;
        return kNever;
    }
    const roce::Packet packet = read(*frame);
    if (!is_sound(packet) && !is_for_ethernet(*frame, packet)) return kNever;
    from_wire_.free_placed(due);
    const auto bytes = static_cast<std::uint32_t>(frame->length());
    if (!coming_.empty() || !has_room(from_wire_, bytes)) {
        coming_.push({std::move(frame), packet, &from_wire_}, due);
        return due;
    }
    from_wire_.used += bytes;
    const Cycle at = due + config_.rx_path;
    from_wire_.arrived.push({std::move(frame), packet, &from_wire_}, at);
    return std::max(at, free_at_);
}

roce::Packet PacketReceiver::read(const Frame& frame) {
    roce::Packet packet = parser_.read(frame);
    icrc_.check(frame, packet);
    return packet;
}

Cycle PacketReceiver::room_inside_at(Cycle now, std::uint32_t bytes) {
    inside_.free_placed(now);
    return has_room(inside_, bytes) ? now : inside_.leaving.next_due();
}

void PacketReceiver::put_inside(FrameRef frame, Cycle due) {
    const roce::Packet packet = read(*frame);
    if (!is_sound(packet)) return;
    inside_.used += static_cast<std::uint32_t>(frame->length());
    inside_.arrived.push({std::move(frame), packet, &inside_}, due + config_.rx_path);
}

bool PacketReceiver::is_sound(const roce::Packet& packet) {
    // An opcode that means nothing is refused by a NAK.
    if (packet.error != roce::Error::none && packet.error != roce::Error::unknown_opcode) {
        if (packet.error == roce::Error::not_roce && ethernet_ != nullptr) return false;
        ++counters_.errors[static_cast<std::size_t>(packet.error)];
        return false;
    }
    if (packet.header.opcode == roce::Opcode::cnp && !config_.transport.congestion->hears_marks()) {
        ++counters_.cnps;
        return false;
    }
    return true;
}

bool PacketReceiver::is_for_ethernet(const Frame& frame, const roce::Packet& packet) {
    if (packet.error != roce::Error::not_roce || ethernet_ == nullptr) return false;
    if (is_tcp(frame.front(kMinFrameBytes - kFcsBytes))) return true;
    ++counters_.errors[static_cast<std::size_t>(packet.error)];
    return false;
}

/// It takes its turn among packets, as it came among them.
void PacketReceiver::take_ethernet(Cycle now, const Arrived& arrived) {
    const auto bytes = static_cast<std::uint32_t>(arrived.frame->length());
    const Time since = config_.cut_through ? config_.wire.per_byte * std::int64_t{bytes} : Time{};
    ++counters_.frames;
    if (const auto left = ethernet_->receive(now, arrived.frame, since)) {
        arrived.way->leaving.push(bytes, *left);
    } else {
        arrived.way->used -= bytes;
    }
}

void PacketReceiver::take_in(Cycle now) {
    while (coming_.ready(now)) {
        const Cycle due = coming_.next_due();
        Arrived packet = coming_.pop();
        from_wire_.free_placed(due);
        const auto bytes = static_cast<std::uint32_t>(packet.frame->length());
        if (!has_room(from_wire_, bytes)) {
            ++counters_.overruns;
            continue;
        }
        from_wire_.used += bytes;
        from_wire_.arrived.push(std::move(packet), due + config_.rx_path);
    }
}

PacketReceiver::Way& PacketReceiver::next_way() {
    return inside_.arrived.next_due() < from_wire_.arrived.next_due() ? inside_ : from_wire_;
}

bool PacketReceiver::run(Cycle now) {
    take_in(now);
    while (placed_.ready(now)) transport_.on_placed(config_.clock.time(now), placed_.pop());
    Inbox<Arrived>& arrived = next_way().arrived;
    if (!arrived.ready(now) || now < std::max(free_at_, dma_.has_room_at())) return false;
    free_at_ = now + std::max(config_.packet_interval, Cycle{1});
    Arrived packet = arrived.pop();
    if (packet.packet.error == roce::Error::not_roce) [[unlikely]] {
        take_ethernet(now, packet);
        return true;
    }
    const bool notification = packet.packet.header.opcode == roce::Opcode::cnp;  // a mark on it tells nobody anything
    if (packet.packet.ecn == Ecn::congestion &&
        !notification) {  // told at once, even if the packet has to wait for a receive WQE
        transport_.on_marked(config_.clock.time(now), sender_of(*packet.frame), packet.packet.header.to, actions_);
    }
    decide(now, std::move(packet));
    return true;
}

void PacketReceiver::retry(Cycle now) {
    std::swap(for_later_, again_);
    for (const Qpn qp : again_) go_on(now, qp);
    again_.clear();
}

void PacketReceiver::go_on(Cycle now, Qpn qp) {
    held_.go_on(qp, [&](const Arrived& packet) { return take(now, packet); });
}

/// Packets of a QP stay in order: none passes one that is held, but a CNP, which has no number.
void PacketReceiver::decide(Cycle now, Arrived&& packet) {
    const roce::Header& header = packet.packet.header;
    const bool waits = header.opcode != roce::Opcode::cnp && held_.any_of(header.to);
    if (waits || !take(now, packet)) held_.push(header.to, std::move(packet));
}

bool PacketReceiver::take(Cycle now, const Arrived& packet) {
    const roce::Header& header = packet.packet.header;
    // The rate of a QP is kept on the card (V-K4).
    const bool notification = header.opcode == roce::Opcode::cnp;
    if (!notification &&
        !lines_.at_hand(now, LineUser::receiver, header.to, [&] { return transport_.memory_of(header); }))
        return false;
    in_hand_ = &packet;
    placing_ = false;
    const Taken taken = transport_.on_packet(config_.clock.time(now), sender_of(*packet.frame), header, actions_);
    in_hand_ = nullptr;
    if (taken == Taken::later) {
        for_later_.push_back(header.to);
        return false;
    }
    ++counters_.packets;
    if (!placing_) packet.way->used -= static_cast<std::uint32_t>(packet.frame->length());
    return true;
}

void PacketReceiver::place(Cycle now, const Placement& placement) {
    const FrameRef& frame = in_hand_->frame;
    FrameRef staged = frame;
    const std::uint8_t* data = nullptr;
    if (placement.with_grh) {
        staged = with_grh(frames_, *frame, in_hand_->packet);
        data = staged->writable_bytes().data();
    } else if (in_hand_->packet.header.opcode == roce::Opcode::atomic_ack) {
        staged = staging(frames_, kAtomicBytes);
        std::uint8_t* const into = staged->writable_bytes().data();
        boost::endian::store_little_u64(into, in_hand_->packet.header.original);
        data = into;
    } else {
        data = roce::payload(*frame, in_hand_->packet).data();
    }
    std::array<DmaPiece, Segments::capacity()> pieces;
    std::size_t count = 0;
    for (const Segment& segment : placement.to) {
        pieces[count++] = {segment.address, data, segment.length, staged};
        data += segment.length;
    }
    const std::int64_t bytes = in_hand_->packet.header.payload;
    const PcieEndpoint::Written written = pcie_.write_through(
        now, config_.cut_through ? config_.wire.per_byte * bytes : Time{},
        std::span<const DmaPiece>(pieces).first(count), dma_purpose::kPayload,
        placement.of_request
            ? TlpAttributes{config_.transport.persist.data_no_snoop, config_.transport.persist.relaxed_data, 0}
            : TlpAttributes{});
    if (placement.of_request) placed_.push(placement.qp, written.posted);
    posted_until_ = written.posted;
    in_hand_->way->leaving.push(static_cast<std::uint32_t>(frame->length()), written.left);
    placing_ = true;
}

Cycle PacketReceiver::next_due() const {
    const Cycle first = std::min(from_wire_.arrived.next_due(), inside_.arrived.next_due());
    const Cycle packet = first == kNever ? kNever : std::max({first, free_at_, dma_.has_room_at()});
    return std::min({packet, placed_.next_due(), coming_.next_due()});
}

}  // namespace rnicsim::rc
