// SPDX-License-Identifier: Apache-2.0
#include "model/host/tcp/tcp_stack.h"

#include <algorithm>
#include <stdexcept>

namespace rnicsim {
namespace {

// As in Linux: TCP_RTO_MIN, TCP_DELACK_MIN.
constexpr Time kFirstTimeout = kMillisecond * 200, kAckDelay = kMillisecond * 40;

}  // namespace

TcpStack::TcpStack(const Config& config, TcpHost& host, StreamProgram& program, std::uint64_t address,
                   std::uint32_t streams)
    : config_(config),
      tx_(polls() ? in_user_space(config.tcp.tx) : config.tcp.tx),
      rx_(polls() ? in_user_space(config.tcp.rx) : config.tcp.rx),
      frame_(polls() ? config.poll : config.tcp.frame),
      syscall_(polls() ? Cycle{} : config.cpu.syscall),
      epoll_(polls() ? Cycle{} : config.cpu.epoll),
      host_(host),
      program_(program),
      rings_(host, config.tcp, address, streams) {
    streams_.reserve(streams);
}

StreamId TcpStack::open(const Init& init) {
    if (streams_.size() == rings_.streams()) throw std::logic_error("there is no memory for one more stream");
    if (init.peer == config_.host) throw std::logic_error("a stream to the host itself");
    const auto number = static_cast<std::uint32_t>(streams_.size());
    const tcp::Settings settings{config_.tcp.window, piece_of(config_.tcp), segment_of(config_.tcp),
                                 config_.clock.edge(kFirstTimeout), config_.clock.edge(kAckDelay)};
    streams_.emplace_back(init, number, settings);
    Stream& s = streams_.back();
    if (!init.established) return id(s);
    s.connection.establish(init.peer_window == 0 ? config_.tcp.window : init.peer_window);
    s.polled = s.connection.next();
    return id(s);
}

void TcpStack::plan(Event::What what, Cycle at, const Stream& s, std::uint32_t bytes) {
    Event event;
    event.what = what;
    event.at = at;
    event.stream = s.number;
    event.bytes = bytes;
    plan(event);
}

void TcpStack::plan(Event event) {
    event.order = planned_++;
    if (event.what != Event::What::timer) ++busy_;
    events_.push_back(event);
    std::ranges::push_heap(events_, [](const Event& a, const Event& b) { return a.later_than(b); });
    host_.run_at(event.at);
}

Cycle TcpStack::next_due() const { return std::min(rings_.next_due(), events_.empty() ? kNever : events_.front().at); }

bool TcpStack::idle() const {
    const auto waits = [](const Stream& s) { return s.connection.deadline() != kNever; };
    return busy_ == 0 && rings_.idle() && std::ranges::none_of(streams_, waits);
}

std::string TcpStack::explain() const {
    std::size_t out = 0, in = 0, room = 0, dead = 0;
    for (const Stream& s : streams_) {
        out += s.connection.acknowledged() != s.connection.sent() ? 1 : 0;
        in += s.connection.readable() != 0 ? 1 : 0;
        room += s.sending.waits ? 1 : 0;
        dead += s.connection.state() == tcp::Connection::State::dead ? 1 : 0;
    }
    return ", of " + std::to_string(streams_.size()) + " streams " + std::to_string(out) +
           " with bytes not acknowledged, " + std::to_string(room) + " that wait for room, " + std::to_string(in) +
           " with bytes not read, " + std::to_string(dead) + " dead";
}

void TcpStack::run(Cycle now) {
    while (next_due() <= now) {
        rings_.run(now);
        if (events_.empty() || events_.front().at > now) continue;
        std::ranges::pop_heap(events_, [](const Event& a, const Event& b) { return a.later_than(b); });
        const Event event = events_.back();
        events_.pop_back();
        if (event.what != Event::What::timer) --busy_;
        carry_out(event);
    }
}

void TcpStack::carry_out(const Event& event) {
    const Cycle now = event.at;
    if (event.what == Event::What::poll) return poll(now);
    Stream& s = streams_[event.stream];
    switch (event.what) {
        case Event::What::poll: break;
        case Event::What::segment: hear(now, s, event.segment); break;
        case Event::What::piece: next_piece(now, s); break;
        case Event::What::piece_ends: end_piece(now, s, event.bytes); break;
        case Event::What::emit: emit(now, s, event.range); break;
        case Event::What::connect: emit(now, s, s.connection.connect(now)); break;
        case Event::What::connected: program_.stream_connected(now, id(s)); break;
        case Event::What::readable: program_.stream_readable(now, id(s), s.connection.readable()); break;
        case Event::What::read_ends: end_read(now, s, event.bytes); break;
        case Event::What::closed: program_.stream_closed(now, id(s)); break;
        case Event::What::finish: {
            const tcp::Range fin = s.connection.finish(now);
            if (!fin.empty()) emit(now, s, fin);
            break;
        }
        case Event::What::timer: expire(now, s); break;
    }
    watch_timer(s);
}

/// A deadline mostly moves on: its event looks again.
void TcpStack::watch_timer(Stream& s) {
    const Cycle deadline = s.connection.deadline();
    if (deadline >= s.timer_at) return;
    s.timer_at = deadline;
    plan(Event::What::timer, deadline, s);
}

void TcpStack::expire(Cycle now, Stream& s) {
    if (s.timer_at > now) return;  // one that an earlier deadline has made needless
    s.timer_at = kNever;
    if (s.connection.deadline() > now) return;
    if (s.connection.has_to_ack(now)) emit_ack(now, s, s.connection.sent());
    if (s.connection.deadline() > now) return;
    ++counters_.timeouts;
    const tcp::Connection::News news = s.connection.expire(now);
    if (news.died) emit_reset(now, s);
    act(now, s, news);
}

}  // namespace rnicsim
