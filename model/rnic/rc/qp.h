// SPDX-License-Identifier: Apache-2.0
// A queue pair: what is settled when it is made or modified, and the state of its requester and responder. Plain data;
// requester.h, completer.h and responder.h decide on it.
#pragma once

#include "model/rnic/rc/answer_queue.h"
#include "model/rnic/rc/came_ahead.h"
#include "model/rnic/rc/config.h"
#include "model/rnic/rc/congestion/common/control.h"
#include "model/rnic/rc/congestion/common/pacer.h"
#include "model/rnic/rc/counts.h"
#include "model/rnic/rc/in_flight.h"
#include "model/rnic/rc/mr_table.h"
#include "model/rnic/rc/qp_attributes.h"
#include "model/rnic/rc/receive_queue.h"
#include "model/rnic/rc/send_queue.h"

#include <array>
#include <optional>

namespace rnicsim::rc {

/// Loss and RNR at the requester.
struct Recovery {
    std::uint8_t tries_left = 0, rnr_tries_left = 0;
    Time ack_deadline = kEndOfTime;  ///< V-R8; runs from the first packet sent since nothing was outstanding, or since
                                     ///< a rewind
    Time rnr_until{};                ///< V-R10
    bool loss_seen = false;          ///< a NAK or a gap has been acted on since the last progress (V-C4)
    std::optional<Psn> gap_seen_by;  ///< the last answer that showed a gap since then (V-C12)
    /// A NAK sequence said, when or after what is missing was last sent again, that nothing from here on had been
    /// executed (V-C12).
    std::optional<Psn> not_executed;
};

/// Acknowledged, and not completed (V-P3); or completed, and its PACK has not been handed to the program (V-P7).
struct HeldSend {
    SendEntry entry;
    SendQueue::Number number = 0;
    bool waits = false;           ///< for its PACK; else for one before it
    Time repeat_at = kEndOfTime;  ///< V-P4
    std::uint8_t repeats = 0;
    bool due = false;  ///< the repeat waits for its turn
};

struct Requester {
    explicit Requester(std::uint32_t size) : queue(size) {}
    SendQueue queue;
    CountedRing<HeldSend> held;  ///< before the queue's front
    Recovery recovery;
    std::uint32_t unasked = 0;        ///< packets since the last one with AckReq (V-R3)
    std::optional<Psn> credit_limit;  ///< the last SSN that credits allow (V-R5); none: not counted
};

/// The message under way at the responder.
enum class Incoming : std::uint8_t { none, send, write };

/// A WRITE whose first packet has come.
struct KnownWrite {
    Psn first;                  ///< of those that follow
    std::uint64_t address = 0;  ///< its payload's
    std::uint32_t key = 0;
    std::uint32_t left = 0;  ///< bytes from there on
    bool from_start = true;  ///< `first` is its message's first packet
};

/// Selective repeat: what has come ahead of the expected PSN (V-S10).
struct Early {
    CameAhead came;
    CountedRing<KnownWrite> writes;  ///< one of each message, from its first packet that has come on, in order
    std::optional<Psn> dropped;      ///< the furthest that could not be placed, and was not told
};

/// Data are on their way to where they last.
struct PersistUnderWay {
    Psn psn;             ///< of the last packet
    bool flush = false;  ///< else a WRITE_PERSIST
};

/// A WRITE_PERSIST that the processor is to make durable (V-P6).
struct AskedPersist {
    Psn psn;  ///< of the last packet
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool solicited = false;
};

/// Receive WQEs for what has no packet that waits for them: the card looks for them by itself (V-P6, V-P7).
struct ReceiveLook {
    bool under_way = false;
    Time again = kEndOfTime;  ///< there was none
};

struct Responder {
    Psn expected, msn;
    bool nak_sent = false;  ///< nothing is answered to packets ahead until the expected one comes (V-S1)
    Incoming incoming = Incoming::none;
    std::optional<ReceiveWqe> receive;  ///< taken by the message under way
    std::uint32_t bytes = 0;            ///< of the message under way that have come
    std::uint64_t address = 0;          ///< WRITE: where the next payload goes
    std::uint32_t key = 0;
    std::uint32_t left = 0;                        ///< WRITE: bytes still to come
    std::uint32_t asked_to_place = 0, posted = 0;  ///< writes to memory, counted on
    CountedRing<Answer> answers;
    std::uint32_t first_answers = 0;  ///< READs and atomics not fully answered for the first time
    Memory memory;
    Early early;
    bool persist = false;                   ///< the message under way is marked by its opcode (V-P1)
    CountedRing<PersistUnderWay> persists;  ///< accepted, not durable, in their order
    std::uint32_t flushes = 0;              ///< of them
    CountedRing<AskedPersist> asked;        ///< of the processor, which has not been told, in their order
    std::optional<Psn> told;                ///< the last one that it has been told of
    std::optional<Psn> persisted;           ///< the last WRITE_PERSIST that is durable
};

/// Congestion (V-D1 to V-D8).
struct Pace {
    AnyControl control;
    std::optional<InFlight> in_flight;  ///< if the control hears of ACKs
    Pacer pacer;
    Time next_cnp{};       ///< not before
    bool cnp_due = false;  ///< waits for its turn in the answers' lane
    bool waits = false;    ///< something of the QP has to wait for its time
};

struct Qp {
    Qp(Qpn n, const QpInit& i) : number(n), init(i), requester(i.send_queue_size) {}

    Qpn number;
    QpInit init;
    QpAttributes attributes;
    QpState state = QpState::reset;
    Requester requester;
    Responder responder;
    Pace pace;
    ReceiveLook receive_look;
    std::uint32_t leaving = 0;          ///< UC, UD: packets that the MAC has not taken yet
    bool drained_told = false;          ///< in SQD (V-Q3)
    bool flushed = false;               ///< in ERR, for the first time
    Time listed_deadline = kEndOfTime;  ///< the earliest that the card's list has of it
    std::array<bool, kLanes> listed{};  ///< by lane: waits for its turn at the port (V-R2)
};

class RequestCheckEngine;
class PsnEngine;

/// What a decision has at hand.
struct Decision {
    Time now;
    const RcConfig& config;
    MrTable& regions;
    const RequestCheckEngine& checks;
    const PsnEngine& psns;
    std::vector<ReceiveQueue>& receive_queues;
    Counts& counts;
    RcActions& actions;

    /// This happens to the QP: counted, and told.
    void note(RcCount what, const Qp& of) const {
        counts.add(what);
        actions.noted(of.number, what);
    }
    [[nodiscard]] ReceiveQueue& receives(const Qp& qp) const {
        return receive_queues[static_cast<std::size_t>(qp.init.receive_queue)];
    }
};

/// Does the responder's processor make WRITE_PERSISTs of this connection durable (V-P6)?
inline bool by_processor(const Qp& qp) { return qp.init.persist && qp.init.persist->by_processor; }

/// All that the SGEs name may be touched so.
template <std::size_t N>
bool local_access(const FixedList<Sge, N>& sges, const Qp& qp, const MrTable& regions, Access access) {
    for (const Sge& sge : sges) {
        if (!regions.allows(sge.lkey, qp.init.pd, {sge.address, sge.length}, access)) return false;
    }
    return true;
}

/// The part of the SGEs' memory that begins at `offset`; nothing, if it may not be touched so (any more).
template <std::size_t N>
std::optional<Segments> segments_of(const FixedList<Sge, N>& sges, std::uint32_t offset, std::uint32_t bytes,
                                    const Qp& qp, const MrTable& regions, Access access) {
    Segments out;
    for (const Sge& sge : sges) {
        if (bytes == 0) break;
        if (offset >= sge.length) {
            offset -= sge.length;
            continue;
        }
        const Range piece{sge.address + offset, std::min(bytes, sge.length - offset)};
        const auto place = regions.place(sge.lkey, qp.init.pd, piece, access);
        if (!place) return {};
        const auto length = static_cast<std::uint32_t>(piece.length);
        out.push({*place, length});
        bytes -= length;
        offset = 0;
    }
    return out;
}

}  // namespace rnicsim::rc
