// SPDX-License-Identifier: Apache-2.0
// TCP of one host: calls of its programs, what they and the frames that come cost its processor, and the bytes, from
// the program's memory to that of the other one (README.md).
#pragma once

#include "model/host/cpu/config.h"
#include "model/host/tcp/connection.h"
#include "model/host/tcp/tcp_rings.h"
#include "tlm/ethernet/tcp.h"
#include "tlm/time/clock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rnicsim {

enum class StreamId : std::uint32_t {};  ///< at its host, in order of creation, from 0

/// What runs on the host. It is called at the end of what the core did for it.
class StreamProgram {
  public:
    virtual ~StreamProgram() = default;
    virtual void stream_connected(Cycle now, StreamId stream) = 0;
    /// The thread has been woken (interrupt, wake, epoll are paid). `bytes` lie in the socket, unread. It is not told
    /// again before it has called read().
    virtual void stream_readable(Cycle now, StreamId stream, std::uint32_t bytes) = 0;
    /// read() has returned: the bytes are at the address that was given.
    virtual void stream_read(Cycle now, StreamId stream, std::uint32_t bytes) = 0;
    /// send() has returned: the socket has taken all bytes.
    virtual void stream_sent(Cycle now, StreamId stream) = 0;
    /// The peer has closed it, and all is read; or it was reset, or given up.
    virtual void stream_closed(Cycle now, StreamId stream) = 0;
};

class TcpStack {
  public:
    struct Config {
        TcpConfig tcp;
        CpuConfig cpu;
        Cycle poll{};  ///< of a frame, in user space
        Clock clock = kGmiiClock;
        unsigned host = 0;
    };
    /// `address`: memory_bytes() in the host's memory. Nothing is owned.
    TcpStack(const Config& config, TcpHost& host, StreamProgram& program, std::uint64_t address, std::uint32_t streams);
    [[nodiscard]] static std::uint64_t memory_bytes(const TcpConfig& config, std::uint32_t streams) {
        return TcpRings::bytes(config, streams);
    }

    struct Init {
        unsigned peer = 0;              ///< host
        std::uint32_t peer_stream = 0;  ///< its number there
        Thread thread{};                ///< that calls, and is woken
        bool established = true;        ///< from the beginning; else one end calls connect()
        std::uint32_t peer_window = 0;  ///< bytes; 0: as here
    };
    // Set-up, before the simulation starts; both ends agree.
    StreamId open(const Init& init);

    // For the program. Each takes the time of the stream's thread, behind what its core is doing.
    void connect(Cycle now, StreamId stream);
    /// One call at a time for a stream.
    void send(Cycle now, StreamId stream, std::uint64_t address, std::uint32_t bytes);
    /// Copies what is there, at most `most` bytes (at least 1); waits if there is nothing. The same.
    void read(Cycle now, StreamId stream, std::uint64_t address, std::uint32_t most);
    /// Nothing more is sent.
    void close(Cycle now, StreamId stream);
    [[nodiscard]] std::uint32_t readable(StreamId stream) const { return at(stream).connection.readable(); }
    [[nodiscard]] bool has_died(StreamId stream) const {
        return at(stream).connection.state() == tcp::Connection::State::dead;
    }

    [[nodiscard]] std::uint32_t streams() const { return static_cast<std::uint32_t>(streams_.size()); }

    // For the host.
    void run(Cycle now);
    [[nodiscard]] Cycle next_due() const;
    [[nodiscard]] bool idle() const;
    /// What its streams wait for, behind a comma; for the message of a run that does not end.
    [[nodiscard]] std::string explain() const;
    /// The card's interrupt has reached its handler.
    void interrupted(Cycle now);
    /// A device has written to memory. True: it concerns nobody else.
    bool written(std::uint64_t address, Cycle visible);
    [[nodiscard]] const rc::EthernetRings& rings() const { return rings_.layout(); }
    /// No interrupts are wanted.
    [[nodiscard]] bool polls() const { return config_.tcp.place == TcpPlace::user; }

    struct Counters {
        std::uint64_t calls = 0;     ///< send() and read()
        std::uint64_t pieces = 0;    ///< given to the card for the first time
        std::uint64_t resent = 0;    ///< ... and again
        std::uint64_t acks = 0;      ///< without data
        std::uint64_t segments = 0;  ///< with data, or SYN, FIN or RST, that came
        std::uint64_t timeouts = 0, died = 0, strays = 0;
        std::uint64_t sent_bytes = 0, read_bytes = 0;  ///< by calls
    };
    [[nodiscard]] const Counters& counters() const { return counters_; }

  private:
    struct Sending {
        bool under_way = false, waits = false;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0, done = 0;
    };
    struct Reading {
        bool under_way = false, waits = false;
        std::uint64_t address = 0;
        std::uint32_t most = 0;
    };
    struct Stream {
        Stream(const Init& as, std::uint32_t its_number, const tcp::Settings& settings)
            : init(as), number(its_number), connection(settings) {}
        Init init;
        std::uint32_t number = 0;
        tcp::Connection connection;
        Sending sending;
        Reading reading;
        bool told = false;  // that there are bytes, and has not called read() since
        bool told_of_end = false;
        bool listens = true;       // it has not called connect()
        std::uint64_t polled = 0;  // all before it has been taken from the ring
        std::uint64_t batch = 0;   // with a segment of it: `open` is its last one
        std::size_t open = 0;
        Cycle timer_at = kNever;  // an event is planned for it
        std::uint32_t echo = 0;   // the peer's last timestamp
    };
    struct Event {
        enum class What : std::uint8_t {
            poll,
            segment,
            piece,  // the next one of a send() begins
            piece_ends,
            emit,
            connect,
            connected,
            readable,
            read_ends,
            closed,
            finish,
            timer
        } what = What::poll;
        Cycle at;
        std::uint64_t order = 0;
        std::uint32_t stream = 0, bytes = 0;
        tcp::Segment segment{};
        tcp::Range range{};
        [[nodiscard]] bool later_than(const Event& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };
    /// Frames that are taken as one.
    struct Merged {
        std::uint32_t stream = 0, frames = 0;
        tcp::Segment segment;
    };

    [[nodiscard]] Stream& at(StreamId stream) { return streams_[static_cast<std::size_t>(stream)]; }
    [[nodiscard]] const Stream& at(StreamId stream) const { return streams_[static_cast<std::size_t>(stream)]; }
    [[nodiscard]] static StreamId id(const Stream& s) { return StreamId{s.number}; }
    void plan(Event::What what, Cycle at, const Stream& s, std::uint32_t bytes = 0);
    void plan(Event event);
    void carry_out(const Event& event);

    // Calls (tcp_calls.cpp).
    void next_piece(Cycle now, Stream& s);
    void end_piece(Cycle now, Stream& s, std::uint32_t bytes);
    void begin_copy(Cycle now, Stream& s);
    void end_read(Cycle now, Stream& s, std::uint32_t bytes);
    void tell(Cycle now, Stream& s, bool wakes);
    void tell_of_end(Cycle now, Stream& s);

    // What comes (tcp_input.cpp).
    void poll(Cycle now);
    void take_frame(std::span<const std::uint8_t> frame);
    void merge(Stream& s, const tcp::Segment& segment);
    void place(Stream& s, const tcp::Segment& segment, std::span<const std::uint8_t> payload);
    void hear(Cycle now, Stream& s, const tcp::Segment& segment);
    void act(Cycle now, Stream& s, const tcp::Connection::News& news);
    void connected(Cycle now, Stream& s);

    // What goes (tcp_output.cpp).
    /// With SYN and FIN, if they are in it.
    void emit(Cycle now, Stream& s, const tcp::Range& range);
    void emit_ack(Cycle now, Stream& s, std::uint64_t sequence);
    void emit_reset(Cycle now, Stream& s);
    void post(Cycle now, Stream& s, TcpHeader header, std::uint64_t from, std::uint32_t bytes);
    void watch_timer(Stream& s);
    void expire(Cycle now, Stream& s);

    const Config config_;
    const Cycle tx_, rx_, frame_, syscall_, epoll_;
    TcpHost& host_;
    StreamProgram& program_;
    TcpRings rings_;
    std::vector<Stream> streams_;
    std::vector<Event> events_;  // heap
    std::uint64_t planned_ = 0;
    std::size_t busy_ = 0;  // events but for timers
    std::vector<Merged> merged_;
    std::uint64_t batch_ = 0;
    bool polling_ = false;
    Counters counters_;
};

}  // namespace rnicsim
