// SPDX-License-Identifier: Apache-2.0
// Judges reliable connections by the frames that hosts send and get, and by nothing else: what a capture at both ends
// would show (VERBS.md 8). It believes no counter and no card, and takes what has reached a card for accepted, so it
// never blames a card that is slower than the wire.
#pragma once

#include "model/host_names.h"
#include "tlm/ethernet/frame.h"
#include "tlm/roce/packet.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim {

class WireJudge {
  public:
    struct End {
        unsigned host = 0;
        roce::Qpn qp;
        roce::Psn first;                  ///< PSN of its first request
        std::uint32_t window = 0;         ///< PSNs outstanding, at most (V-R4)
        std::uint32_t max_rd_atomic = 0;  ///< READs and atomics outstanding, at most (V-R6)
    };
    struct Connection {
        std::array<End, 2> ends;
        std::uint32_t pmtu = 0;  ///< bytes
        bool in_order = true;    ///< the responder takes nothing ahead: go-back-N
        bool one_nak =
            true;  ///< a NAK sequence has a PSN once, until it comes: not where messages begin anew (go_back_0)
    };
    explicit WireJudge(HostNames names) : names_(std::move(names)) {}
    void connect(const Connection& connection);
    /// The connection of this QP is no more; so is what both its ends still send.
    void forget(unsigned host, roce::Qpn qp);

    /// A card puts a frame on the wire; its last byte leaves at `left`.
    void sent(unsigned host, const Frame& frame, Time left);
    /// A good frame has come to a card, or will when it could be answered at the earliest.
    void arrived(unsigned host, const Frame& frame);

    /// Which packet of which QP, and what is wrong; empty: nothing is.
    [[nodiscard]] const std::string& violation() const { return violation_; }
    /// When the last packet of a READ response, or of UC and UD, has left: as long as there are some, something goes
    /// on.
    [[nodiscard]] Time last_progress() const { return last_progress_; }
    /// Packets that it has seen leave.
    [[nodiscard]] std::uint64_t judged() const { return judged_; }

  private:
    /// PSNs from the first one on, without an end.
    using Number = std::int64_t;
    /// What answers a READ, an atomic, a FLUSH or an ATOMIC WRITE, and the PSNs that it takes.
    struct Answer {
        Number first = 0, end = 0;
        roce::Opcode asked{};
    };
    /// What one end asks of the other.
    struct Flow {
        std::size_t connection = 0;
        unsigned side = 0;                 // who asks
        Number next = 0;                   // has never been sent
        Number acked = 0;                  // all before it has been answered, and the answer has come
        Number came = 0;                   // all before it has come to the responder
        Number answered = 0;               // a READ response to what is before it has left
        std::map<Number, Number> ahead;    // what has come behind a gap: from, to
        std::set<Number> told;             // to the requester: has come, behind what has not been acknowledged
        std::deque<Answer> answers;        // the latest
        std::optional<roce::Opcode> open;  // of the message under way: its first packet's
        std::uint32_t left = 0;            // of a WRITE under way, bytes
        std::uint64_t next_address = 0;    // of one whose packets say where they go
        std::optional<Number> nak;         // sequence NAK that was the last, until that PSN comes
        std::optional<roce::Psn> msn;
    };

    [[nodiscard]] Flow* flow_of(unsigned from, unsigned to, roce::Qpn qp, bool answer);
    void request(Flow& flow, const roce::Header& header);
    void new_request(Flow& flow, Number n, const roce::Header& header);
    void new_packet(Flow& flow, Number n, const roce::Header& header);
    void answer(Flow& flow, const roce::Header& header);
    void request_came(Flow& flow, const roce::Bth& bth);
    static void answer_came(Flow& flow, const roce::Bth& bth, Number n);
    void told(Flow& flow, roce::Psn arrived) const;
    static void pass_told(Flow& flow);
    [[nodiscard]] static const Answer* answer_at(const Flow& flow, Number n);
    [[nodiscard]] const End& end(const Flow& flow) const { return connections_[flow.connection].ends.at(flow.side); }
    [[nodiscard]] Number number(const Flow& flow, roce::Psn psn, Number near) const;
    void violate(const Flow& flow, Number n, const std::string& what);

    struct Place {
        std::size_t connection = 0;
        unsigned side = 0;
        unsigned asker = 0;  // the side that asks this one
        unsigned peer = 0;   // the other end's host
    };
    const HostNames names_;
    std::vector<Connection> connections_;
    std::vector<std::array<Flow, 2>> flows_;                 // by connection and who asks
    std::vector<std::vector<std::optional<Place>>> places_;  // by host and QPN
    Time last_progress_;
    std::uint64_t judged_ = 0;
    std::string violation_;
};

}  // namespace rnicsim
