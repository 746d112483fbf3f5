// SPDX-License-Identifier: Apache-2.0
// What the decisions ask the RNIC around them to do, at once and in this order; packets are asked for with
// RcTransport::next_packet(), which also says where their payload is read.
#pragma once

#include "model/rnic/rc/counts.h"
#include "model/rnic/rc/verbs.h"
#include "tlm/drp/ids.h"
#include "tlm/roce/header.h"
#include "tlm/time/time.h"

#include <optional>

namespace rnicsim::rc {

/// The payload of the present packet goes to memory. Writes are posted in the order in which they are asked for.
struct Placement {
    Qpn qp;
    Psn psn;
    bool of_request = true;  ///< tell on_placed() when it is posted: an ACK waits for it (V-S4)
    Segments to;             ///< of an atomic's answer: 8 bytes, the header's `original`
    bool with_grh = false;   ///< kGrhBytes in front of the payload
};

/// The atomic unit reads 8 bytes, changes them and gives the old value to on_atomic_done(); one at a time (V-S8).
struct AtomicJob {
    Qpn qp;
    Psn psn;
    bool compare_swap = false;
    std::uint64_t address = 0;
    std::uint64_t swap_or_add = 0, compare = 0;
};

/// All that was asked to be placed so far has to be made durable; the card tells it with on_persisted() (V-P2).
struct PersistJob {
    Qpn qp;
    Psn psn;                               ///< of the request's last packet
    std::optional<std::uint64_t> address;  ///< on the bus, of its last byte; none: the request has no byte
};

/// Send WQEs that have been posted and not read yet.
struct SendFetch {
    Qpn qp;
    std::uint32_t first = 0;  ///< number in the queue, counted on
    std::uint32_t count = 0;
};

/// Requests, answers and CNPs of a QP do not wait for each other.
enum class Lane : std::uint8_t { request, answer, notification };
inline constexpr std::size_t kLanes = 3;

/// How far a message of a send queue is.
enum class Stage : std::uint8_t {
    posted,   ///< the card knows that there is a WQE
    fetched,  ///< ... and has it
    begun,    ///< its first packet is decided
    ended,    ///< acknowledged, answered, or, of UC and UD, taken by the MAC; or it has failed
};

class RcActions {
  public:
    virtual ~RcActions() = default;
    /// Read send WQEs, and hand each to on_fetched() in their order.
    virtual void fetch_wqe(const SendFetch& fetch) = 0;
    /// Read the producer index of a receive queue and some of its WQEs: on_fetched_receives(), with none if none are
    /// posted.
    virtual void fetch_receives(ReceiveQueueNumber queue) = 0;
    /// Read its producer index alone: on_record() (V-S14).
    virtual void read_record(ReceiveQueueNumber queue) = 0;
    virtual void place(const Placement& placement) = 0;
    virtual void atomic(const AtomicJob& job) = 0;
    /// Has the card room for one job more? If not, the packet is handed over again when it has.
    virtual bool has_room_to_persist() { return true; }
    virtual void persist(const PersistJob& job) = 0;
    virtual void complete(const Completion& completion) = 0;
    virtual void event(const AsyncEvent& event) = 0;
    /// This has been counted, of this QP. For who looks on: nothing follows from it.
    virtual void noted(Qpn /*qp*/, RcCount /*what*/) {}
    // For who looks on, too:
    /// All messages before number `end` of the QP's send queue have come so far.
    virtual void reached(Qpn /*qp*/, Stage /*stage*/, std::uint32_t /*end*/) {}
    /// Packets of the QP have been acknowledged. `again`: the oldest that has not been is sent a second time.
    virtual void progressed(Qpn /*qp*/, bool /*again*/) {}
    /// Packets of the QP are lost and will be sent again, not before this time.
    virtual void goes_back(Qpn /*qp*/, Time /*not_before*/) {}
    /// Has the card all that it has to know of this QP for its next packet (V-K4)? If not, the QP loses its turn until
    /// on_at_hand().
    virtual bool at_hand(Qpn /*qp*/, Lane /*lane*/) { return true; }
};

/// A packet for the wire. Those of one lane have to leave in the order in which they were asked for.
struct Packet {
    roce::Header header;
    Qpn qp;  ///< ours
    Peer peer{};
    Path path{};
    Segments from;             ///< where the payload is; none if there is none, or it lies in the WQE
    bool from_wqe = false;     ///< inline
    std::uint32_t wqe = 0;     ///< of a request: number in the send queue
    std::uint32_t offset = 0;  ///< of the payload in its message
    bool tells_sent = false;   ///< tell on_sent() when the MAC has taken it
};

/// `later`: nothing has been decided. Hand the packet over again when receive WQEs have been fetched or something has
/// been made durable, and before any later one of this QP.
enum class Taken : std::uint8_t { yes, later };

}  // namespace rnicsim::rc
