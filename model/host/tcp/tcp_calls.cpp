// SPDX-License-Identifier: Apache-2.0
// Calls of the program: what each costs its thread, and the copies between its memory and the sockets.
#include "model/host/cpu/copy_cost.h"
#include "model/host/tcp/tcp_stack.h"

#include <algorithm>

namespace rnicsim {
namespace {

/// Bytes of a stream in a ring of `window` bytes at `ring`, to or from one place.
template <class Copy>
void each_piece(std::uint64_t ring, std::uint32_t window, std::uint64_t first, std::uint32_t bytes, const Copy& copy) {
    for (std::uint32_t done = 0; done < bytes;) {
        const std::uint64_t at = (first + done - 1) % window;
        const auto here = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - done, window - at));
        copy(ring + at, done, here);
        done += here;
    }
}

}  // namespace

/// socket() and connect(); the other end pays for accept() and epoll_ctl().
void TcpStack::connect(Cycle now, StreamId stream) {
    Stream& s = at(stream);
    s.listens = false;
    host_.work(s.init.thread, now, Charge::syscall, syscall_ * 2);
    plan(Event::What::connect, host_.work(s.init.thread, now, Charge::stream_tx, tx_), s);
}

void TcpStack::close(Cycle now, StreamId stream) {
    Stream& s = at(stream);
    host_.work(s.init.thread, now, Charge::syscall, syscall_);
    plan(Event::What::finish, host_.work(s.init.thread, now, Charge::stream_tx, tx_), s);
}

void TcpStack::send(Cycle now, StreamId stream, std::uint64_t address, std::uint32_t bytes) {
    Stream& s = at(stream);
    ++counters_.calls;
    counters_.sent_bytes += bytes;
    s.sending = {true, false, address, bytes, 0};
    host_.work(s.init.thread, now, Charge::syscall, syscall_ + config_.tcp.extra_write);
    plan(Event::What::piece, host_.work(s.init.thread, now, Charge::copy, config_.cpu.copy.base), s);
}

/// Whole frames, but for the last one of the call.
void TcpStack::next_piece(Cycle now, Stream& s) {
    const std::uint32_t left = s.sending.bytes - s.sending.done, room = s.connection.room();
    if (left != 0 && room < s.connection.worth_sending(left)) {
        s.sending.waits = true;
        return s.connection.wait_for_room(now);
    }
    std::uint32_t bytes = std::min({left, room, piece_of(config_.tcp)});
    const std::uint32_t segment = segment_of(config_.tcp);
    if (bytes < left && bytes > segment) bytes -= bytes % segment;
    const Cycle copy = copy_cost_of_part(config_.cpu.copy, bytes, s.sending.bytes, config_.clock);
    host_.work(s.init.thread, now, Charge::copy, copy);
    plan(Event::What::piece_ends, host_.work(s.init.thread, now, Charge::stream_tx, bytes == 0 ? Cycle{} : tx_), s,
         bytes);
}

void TcpStack::end_piece(Cycle now, Stream& s, std::uint32_t bytes) {
    Sending& call = s.sending;
    if (bytes != 0 && s.connection.room() >= bytes) {
        const tcp::Range range = s.connection.write(now, bytes);
        each_piece(rings_.send_buffer(s.number), config_.tcp.window, range.begin, bytes,
                   [&](std::uint64_t to, std::uint32_t from, std::uint32_t length) {
                       std::ranges::copy(host_.memory(call.address + call.done + from, length),
                                         host_.memory(to, length).begin());
                   });
        ++counters_.pieces;
        emit(now, s, range);
    }
    call.done += bytes;
    if (call.done < call.bytes) return next_piece(now, s);
    call.under_way = false;
    program_.stream_sent(now, id(s));
}

void TcpStack::read(Cycle now, StreamId stream, std::uint64_t address, std::uint32_t most) {
    Stream& s = at(stream);
    ++counters_.calls;
    s.reading = {true, s.connection.readable() == 0, address, most};
    const Cycle called = host_.work(s.init.thread, now, Charge::syscall, syscall_);
    if (!s.reading.waits) begin_copy(called, s);
}

/// What is there now.
void TcpStack::begin_copy(Cycle now, Stream& s) {
    const std::uint32_t bytes = std::min(s.connection.readable(), s.reading.most);
    const Cycle copy = copy_cost_of_part(config_.cpu.copy, bytes, s.reading.most, config_.clock);
    plan(Event::What::read_ends, host_.work(s.init.thread, now, Charge::copy, config_.cpu.copy.base + copy), s, bytes);
}

void TcpStack::end_read(Cycle now, Stream& s, std::uint32_t bytes) {
    each_piece(rings_.receive_buffer(s.number), config_.tcp.window, s.connection.read_from(), bytes,
               [&](std::uint64_t from, std::uint32_t to, std::uint32_t length) {
                   std::ranges::copy(host_.memory(from, length), host_.memory(s.reading.address + to, length).begin());
               });
    counters_.read_bytes += bytes;
    if (s.connection.take(bytes)) emit_ack(now, s, s.connection.sent());
    s.reading.under_way = false;
    s.told = false;
    program_.stream_read(now, id(s), bytes);
    if (s.reading.under_way || s.told) return;
    if (s.connection.readable() != 0) return tell(now, s, false);
    if (s.connection.at_end()) tell_of_end(now, s);
}

void TcpStack::tell(Cycle now, Stream& s, bool wakes) {
    s.told = true;
    if (wakes && !polls()) host_.wake(s.init.thread, now);
    plan(Event::What::readable, host_.work(s.init.thread, now, Charge::epoll, epoll_), s);
}

void TcpStack::tell_of_end(Cycle now, Stream& s) {
    if (s.told_of_end) return;
    s.told_of_end = true;
    if (!polls()) host_.wake(s.init.thread, now);
    plan(Event::What::closed, host_.work(s.init.thread, now, Charge::epoll, epoll_), s);
}

}  // namespace rnicsim
