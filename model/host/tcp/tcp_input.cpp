// SPDX-License-Identifier: Apache-2.0
// What comes: frames are taken from the ring, those of a stream that follow each other as one segment, and heard of
// when the core has done its part.
#include "model/host/tcp/stream_ports.h"
#include "model/host/tcp/tcp_stack.h"
#include "tlm/ethernet/host_address.h"

#include <algorithm>

namespace rnicsim {
namespace {

/// The number nearest to `near` that ends with these bits.
std::uint64_t unwrapped(std::uint64_t near, std::uint32_t low) {
    return near + static_cast<std::uint64_t>(
                      static_cast<std::int64_t>(static_cast<std::int32_t>(low - static_cast<std::uint32_t>(near))));
}

}  // namespace

void TcpStack::interrupted(Cycle now) {
    if (polling_) return;
    polling_ = true;
    Event event;
    event.at = now;
    plan(event);
}

bool TcpStack::written(std::uint64_t address, Cycle visible) {
    if (!rings_.written(address, visible)) return false;
    if (polls() && rings_.next_arrival_at() != kNever) interrupted(std::max(visible, rings_.next_arrival_at()));
    return true;
}

/// All that is there. While the core works on that more may come, which is taken without an interrupt.
void TcpStack::poll(Cycle now) {
    ++batch_;
    merged_.clear();
    if (!rings_.has_arrival(now)) {
        polling_ = false;
        if (!polls()) rings_.arm(now);
        return;
    }
    while (const auto frame = rings_.next_arrival(now)) take_frame(*frame);
    rings_.give_back(now);
    Cycle done = now;
    for (const Merged& of : merged_) {
        const bool alone = of.segment.bytes == 0 && !of.segment.syn && !of.segment.fin && !of.segment.reset;
        if (!alone) ++counters_.segments;
        const Cycle cost = frame_ * std::int64_t{of.frames} + (alone ? Cycle{} : rx_);
        Event event;
        event.what = Event::What::segment;
        event.stream = of.stream;
        event.segment = of.segment;
        event.at = host_.serve(streams_[of.stream].init.thread, now, Charge::stream_rx, cost);
        done = std::max(done, event.at);
        plan(event);
    }
    if (polls() && !rings_.has_arrival(done)) {
        polling_ = false;
        if (rings_.next_arrival_at() != kNever) interrupted(rings_.next_arrival_at());
        return;
    }
    Event again;
    again.at = done;
    plan(again);
}

void TcpStack::take_frame(std::span<const std::uint8_t> frame) {
    const std::optional<TcpPacket> packet = read_tcp(frame);
    const std::uint32_t number = packet ? stream_of_port(packet->header.to) : kNoStream;
    const std::optional<unsigned> from = host_of(frame.subspan<6, 6>());
    if (number >= streams_.size() || from != streams_[number].init.peer ||
        packet->header.from != port_of_stream(streams_[number].init.peer_stream)) {
        ++counters_.strays;
        return;
    }
    Stream& s = streams_[number];
    const TcpHeader& header = packet->header;
    s.echo = header.stamp;
    tcp::Segment segment;
    segment.sequence = unwrapped(s.connection.next(), header.sequence);
    segment.bytes = static_cast<std::uint32_t>(packet->payload);
    segment.acknowledged = unwrapped(s.connection.acknowledged(), header.acknowledged);
    segment.window = header.syn ? header.window : std::uint64_t{header.window} << kTcpWindowShift;
    segment.syn = header.syn;
    segment.ack = header.ack;
    segment.fin = header.fin;
    segment.reset = header.reset;
    place(s, segment, frame.subspan(packet->payload_at, packet->payload));
    merge(s, segment);
}

/// The bytes are in the socket from here on, without being copied: in a host their buffers would be.
void TcpStack::place(Stream& s, const tcp::Segment& segment, std::span<const std::uint8_t> payload) {
    const tcp::Range kept = s.connection.kept(segment.sequence, segment.bytes);
    for (std::uint64_t at = kept.begin; at < kept.end;) {
        const std::uint64_t slot = (at - 1) % config_.tcp.window;
        const std::uint64_t bytes = std::min(kept.end - at, config_.tcp.window - slot);
        std::ranges::copy(payload.subspan(at - segment.sequence, bytes),
                          host_.memory(rings_.receive_buffer(s.number) + slot, bytes).begin());
        at += bytes;
    }
}

/// One that is ahead of a gap is a segment of its own, and so has an ACK of its own.
void TcpStack::merge(Stream& s, const tcp::Segment& segment) {
    const std::uint64_t end = segment.sequence + segment.bytes;
    const bool ahead = segment.sequence > s.polled;
    const bool plain = segment.bytes != 0 && !segment.syn && !segment.reset;
    if (s.batch == batch_ && plain && !ahead) {
        Merged& last = merged_[s.open];
        const tcp::Segment& before = last.segment;
        if (before.bytes != 0 && !before.fin && before.sequence + before.bytes == segment.sequence &&
            before.sequence <= s.polled && before.bytes + segment.bytes <= config_.tcp.gro) {
            last.segment.bytes += segment.bytes;
            last.segment.acknowledged = std::max(before.acknowledged, segment.acknowledged);
            last.segment.window = segment.window;
            last.segment.fin = segment.fin;
            ++last.frames;
            s.polled = std::max(s.polled, end);
            return;
        }
    }
    if (!ahead) s.polled = std::max(s.polled, end);
    s.batch = batch_;
    s.open = merged_.size();
    merged_.push_back({s.number, 1, segment});
}

void TcpStack::hear(Cycle now, Stream& s, const tcp::Segment& segment) {
    const tcp::Connection::News news = s.connection.hear(now, segment);
    s.polled = std::max(s.polled, s.connection.next());
    act(now, s, news);
}

void TcpStack::act(Cycle now, Stream& s, const tcp::Connection::News& news) {
    if (!news.send.empty()) {
        Event event;
        event.what = Event::What::emit;
        event.stream = s.number;
        event.range = news.send;
        event.at = host_.serve(s.init.thread, now, Charge::stream_tx, tx_);
        if (news.send.begin != 0) ++counters_.resent;
        plan(event);
    }
    const bool waits_for_first = s.connection.state() == tcp::Connection::State::syn_received;
    if (news.ack && !waits_for_first) emit_ack(now, s, s.connection.sent());
    if (news.probe) emit_ack(now, s, s.connection.sent() - 1);
    if (news.connected) connected(now, s);
    if (news.room && s.sending.waits) {
        const std::uint32_t left = s.sending.bytes - s.sending.done;
        if (s.connection.room() >= s.connection.worth_sending(left)) {
            s.sending.waits = false;
            if (!polls()) host_.wake(s.init.thread, now);
            next_piece(now, s);
        }
    }
    if (news.bytes && s.reading.waits) {
        s.reading.waits = false;
        if (!polls()) host_.wake(s.init.thread, now);
        begin_copy(now, s);
    } else if (news.bytes && !s.told && !s.reading.under_way) {
        tell(now, s, true);
    }
    if (news.died) {
        ++counters_.died;
        tell_of_end(now, s);
    } else if (news.finished && s.connection.at_end() && (s.reading.waits || !s.reading.under_way)) {
        tell_of_end(now, s);
    }
}

void TcpStack::connected(Cycle now, Stream& s) {
    if (!polls()) host_.wake(s.init.thread, now);
    if (s.listens) {
        host_.work(s.init.thread, now, Charge::epoll, epoll_);
        host_.work(s.init.thread, now, Charge::syscall, syscall_ * 2);
    }
    plan(Event::What::connected, host_.work(s.init.thread, now, Charge::syscall, Cycle{}), s);
}

}  // namespace rnicsim
