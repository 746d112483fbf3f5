// SPDX-License-Identifier: Apache-2.0
// One end of a TCP connection: which bytes have been sent, acknowledged, come and read. A value: no clock, no memory,
// no pointers. It does not carry bytes; they are known by their numbers, which never wrap: 0 is the SYN, 1 the first
// byte of the stream, and the FIN follows the last one.
//
// Costs and a window: acknowledgements are cumulative; the third duplicate or a timer has the gap sent again. Less than
// two full frames wait for data to go with their ACK (RFC 1122, 4.2.3.2). There is no congestion window, SACK or Nagle.
#pragma once

#include "tlm/time/cycle.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace rnicsim::tcp {

struct Range {
    std::uint64_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const { return begin == end; }
    friend bool operator==(const Range&, const Range&) = default;
};

struct Segment {
    std::uint64_t sequence = 0;
    std::uint32_t bytes = 0;  ///< of payload
    std::uint64_t acknowledged = 0;
    std::uint64_t window = 0;  ///< bytes
    bool syn = false, ack = false, fin = false, reset = false;
};

struct Settings {
    std::uint32_t window = 0;   ///< of each end, bytes
    std::uint32_t piece = 0;    ///< as much is sent at once, and again
    std::uint32_t segment = 0;  ///< the longest payload of a frame
    Cycle rto{};
    Cycle delay{};                                   ///< as long an ACK waits at most
    static constexpr std::uint32_t kTries = 6;       ///< after so many in vain the connection is dead
    static constexpr std::uint32_t kDuplicates = 3;  ///< ACKs that say nothing new: then something is lost
};

class Connection {
  public:
    explicit Connection(const Settings& settings) : settings_(settings) {}

    enum class State : std::uint8_t { closed, syn_sent, syn_received, established, dead };
    [[nodiscard]] State state() const { return state_; }

    /// Both ends at once, before anything is sent. `window`: of the peer.
    void establish(std::uint32_t window);
    /// The SYN has to be sent.
    Range connect(Cycle now);

    /// Bytes that may be written, and sent, now.
    [[nodiscard]] std::uint32_t room() const;
    /// As many are worth a piece, of so many that are left: with less room it is better to wait.
    [[nodiscard]] std::uint32_t worth_sending(std::uint64_t left) const;
    /// So many have been: these have to be sent. Precondition: room().
    Range write(Cycle now, std::uint32_t bytes);
    /// Nothing more will be written: the FIN has to be sent, if there is one.
    Range finish(Cycle now);
    /// A program waits for room, which the peer's next ACK may tell of; if that is lost, it is asked for.
    void wait_for_room(Cycle now);

    /// What follows from what came.
    struct News {
        Range send;  ///< (again); its SYN or FIN, if it has one, too
        bool ack = false;
        bool connected = false;
        bool bytes = false;     ///< there are more to read
        bool room = false;      ///< there may be more room
        bool finished = false;  ///< the peer sends nothing more
        bool died = false;
        bool probe = false;  ///< an ACK of what is old, which the peer answers
    };
    News hear(Cycle now, const Segment& segment);
    /// Of its timers; kNever: none runs.
    [[nodiscard]] Cycle deadline() const { return std::min(deadline_, ack_by_); }
    [[nodiscard]] bool has_to_ack(Cycle now) const { return ack_by_ <= now; }
    /// Precondition: its deadline is here.
    News expire(Cycle now);
    void die() {
        state_ = State::dead;
        deadline_ = ack_by_ = kNever;
    }

    /// Bytes to read.
    [[nodiscard]] std::uint32_t readable() const;
    /// The number of the first of them.
    [[nodiscard]] std::uint64_t read_from() const { return taken_; }
    /// They are read. True: the peer has to hear that there is room again.
    bool take(std::uint32_t bytes);
    /// All that the peer has sent has been read.
    [[nodiscard]] bool at_end() const { return fin_at_ && next_ > *fin_at_ && readable() == 0; }
    /// Which bytes of this may be kept: those that are new, and in the window.
    [[nodiscard]] Range kept(std::uint64_t sequence, std::uint32_t bytes) const;

    /// All before it have come.
    [[nodiscard]] std::uint64_t next() const { return next_; }
    /// All before it are acknowledged, or sent.
    [[nodiscard]] std::uint64_t acknowledged() const { return una_; }
    [[nodiscard]] std::uint64_t sent() const { return nxt_; }
    /// Does this range end with the FIN?
    [[nodiscard]] bool has_fin(const Range& range) const { return finished_ && range.end == nxt_; }
    /// What the next segment says of the window; it is said then, and all that has come is acknowledged.
    std::uint64_t advertise();

  private:
    void start_timer(Cycle now) { deadline_ = now + rto_; }
    void hear_ack(Cycle now, const Segment& segment, News& news);
    void hear_bytes(Cycle now, const Segment& segment, News& news);
    [[nodiscard]] Range again() const;
    void keep(Range range);

    Settings settings_;
    State state_ = State::closed;
    std::uint64_t una_ = 0, nxt_ = 0, edge_ = 0;  // what may be sent ends at edge_
    std::uint64_t widest_ = 0;                    // window that the peer has had
    std::uint64_t recover_ = 0;                   // gaps before it are filled as ACKs show them
    std::uint32_t duplicates_ = 0, tries_ = 0;
    bool finished_ = false, waits_ = false;
    Cycle rto_, deadline_ = kNever;

    std::uint64_t next_ = 0, taken_ = 0, advertised_ = 0;
    std::uint64_t told_ = 0;    // all before it is acknowledged
    Cycle ack_by_ = kNever;     // the rest has to be
    std::vector<Range> early_;  // came before what is in front of them
    std::optional<std::uint64_t> fin_at_;
};

}  // namespace rnicsim::tcp
