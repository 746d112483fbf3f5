// SPDX-License-Identifier: Apache-2.0
// What a program hands to the RNIC and gets back: work requests and completions (names as in ibv_*).
#pragma once

#include "model/rnic/rc/fixed_list.h"
#include "tlm/drp/ids.h"
#include "tlm/ethernet/ipv6.h"
#include "tlm/roce/header.h"
#include "tlm/roce/opcodes.h"
#include "tlm/roce/psn.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rnicsim::rc {

using roce::Psn;
using roce::Qpn;
using roce::Service;

enum class Pd : std::uint32_t {};                  ///< protection domain
enum class Cqn : std::uint32_t {};                 ///< completion queue
enum class ReceiveQueueNumber : std::uint32_t {};  ///< of one QP, or shared by several (SRQ)

enum class Verb : std::uint8_t {
    send,
    send_imm,
    send_inv,
    write,
    write_imm,
    read,
    compare_swap,
    fetch_add,
    flush,          ///< what was written before is made visible or persistent (IBTA vol. 1, release 1.5, annex 19)
    atomic_write,   ///< of eight bytes, behind FLUSHes (the same)
    write_persist,  ///< a WRITE that completes when it is durable (V-P1)
    persist_ack     ///< no request: the peer's WRITE_PERSISTs up to a PSN, the immediate, are durable (V-P7)
};

/// As scenarios and tables have them, by Verb.
inline constexpr std::array<std::string_view, 12> kVerbNames{
    "send",         "send_imm",  "send_inv", "write",        "write_imm",     "read",
    "compare_swap", "fetch_add", "flush",    "atomic_write", "write_persist", "persist_ack"};
/// The first ones are those that an item of verbs may consist of; the others are persist items'.
inline constexpr std::size_t kItemVerbs = 8;
constexpr std::string_view verb_name(Verb v) { return kVerbNames.at(static_cast<std::size_t>(v)); }

constexpr bool is_atomic(Verb v) { return v == Verb::compare_swap || v == Verb::fetch_add; }
/// The responder answers with data, which are placed in the memory of the WQE.
constexpr bool brings_data(Verb v) { return v == Verb::read || is_atomic(v); }
/// Its bytes go to the responder's memory, to where the WQE says.
constexpr bool is_write(Verb v) {
    return v == Verb::write || v == Verb::write_imm || v == Verb::write_persist || v == Verb::atomic_write;
}
/// An ACK is no answer to it: the responder has more to do first, or to say (max_rd_atomic).
constexpr bool has_answer(Verb v) { return brings_data(v) || v == Verb::flush || v == Verb::atomic_write; }
/// Its packets carry the bytes of the WQE.
constexpr bool carries_payload(Verb v) { return !brings_data(v) && v != Verb::flush && v != Verb::persist_ack; }
/// Takes a receive WQE of the responder.
constexpr bool takes_receive(Verb v) {
    return v == Verb::send || v == Verb::send_imm || v == Verb::send_inv || v == Verb::write_imm;
}

/// May a QP of this service ask for it?
constexpr bool carries(Service service, Verb v) {
    if (service == Service::reliable) return true;
    if (v == Verb::send || v == Verb::send_imm) return true;
    return service == Service::unreliable && (v == Verb::write || v == Verb::write_imm);
}

/// As ibv_wc_status, with its values.
enum class Status : std::uint8_t {
    success = 0,
    loc_len = 1,
    loc_qp_op = 2,
    loc_prot = 4,
    wr_flush = 5,
    bad_resp = 7,
    rem_inv_req = 9,
    rem_access = 10,
    rem_op = 11,
    retry_exc = 12,
    rnr_retry_exc = 13
};

inline constexpr std::uint32_t kMaxMessage = 1U << 31U;  ///< bytes (IBTA vol. 1, 9.3.2)
inline constexpr std::uint32_t kAtomicBytes = 8;

/// What a program asks for in the headers around its packets, as an address handle has it (V-Q9).
struct Path {
    static constexpr std::uint8_t kOwnDscp = 0xFF;  ///< the card's own: no DSCP has more than 6 bits
    std::uint8_t dscp = kOwnDscp;
    std::uint8_t hop_limit = 0;                                     ///< 0: the card's own
    std::uint32_t flow_label = 0;                                   ///< 20 bits; 0: by the QPs
    IpAddress source = IpAddress::v4, destination = IpAddress::v4;  ///< IPv6 if neither is v4
    [[nodiscard]] constexpr bool is_ipv6() const { return source != IpAddress::v4 && destination != IpAddress::v4; }
    friend constexpr bool operator==(const Path&, const Path&) = default;
};

/// A piece of memory that a WQE names.
struct Sge {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::uint32_t lkey = 0;
};
using SendSges = FixedList<Sge, 14>;    ///< four blocks of 64 B hold no more
using ReceiveSges = FixedList<Sge, 8>;  ///< two blocks

/// Addresses that one packet's payload is read from or written to, in order.
struct Segment {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    friend constexpr bool operator==(const Segment&, const Segment&) = default;
};
using Segments = FixedList<Segment, 14>;

constexpr bool overlap(const Segment& a, const Segment& b) {
    return a.address < b.address + b.length && b.address < a.address + a.length;
}
constexpr bool overlap(const Segments& a, const Segments& b) {
    for (const Segment& one : a) {
        for (const Segment& other : b) {
            if (overlap(one, other)) return true;
        }
    }
    return false;
}

struct SendWqe {
    Verb verb = Verb::send;
    bool signaled = true, solicited = false, fence = false;
    bool inline_data = false;  ///< the payload lies in the WQE: `inline_length` bytes, no SGEs
    std::uint32_t inline_length = 0;
    SendSges sges;
    std::uint64_t remote_address = 0;
    std::uint32_t remote_key = 0;
    std::uint16_t flow_label = 0;        ///< of a datagram: its lower 16 bits
    std::uint32_t immediate_or_key = 0;  ///< immediate, or the key to invalidate
    std::uint64_t swap_or_add = 0, compare = 0;
    roce::Feth flush;  ///< of a FLUSH, and so many bytes from remote_address on
    std::uint32_t flush_length = 0;
};

/// Where a datagram goes. It lies in the WQE in place of a WRITE's address and key, as in ibv_send_wr.
struct Destination {
    Peer peer{};  ///< the address handle
    Qpn qpn;
    std::uint32_t queue_key = 0;
    Path path{};
    friend constexpr bool operator==(const Destination&, const Destination&) = default;
};
inline constexpr std::uint32_t kOwnQueueKey = 1U << 31U;  ///< of a WQE's Q_Key: the QP's own is sent
constexpr void set_destination(SendWqe& wqe, const Destination& to) {
    const Path& path = to.path;
    wqe.remote_address = std::uint64_t{path.flow_label >> 16U & 0xFU} << 60U |
                         std::uint64_t{static_cast<std::uint8_t>(path.destination)} << 58U |
                         std::uint64_t{static_cast<std::uint8_t>(path.source)} << 56U | std::uint64_t{to.qpn.n} << 32U |
                         std::uint64_t{path.dscp} << 24U | std::uint64_t{path.hop_limit} << 16U | raw(to.peer);
    wqe.remote_key = to.queue_key;
    wqe.flow_label = static_cast<std::uint16_t>(path.flow_label);
}
constexpr Destination destination_of(const SendWqe& wqe) {
    const std::uint64_t in = wqe.remote_address;
    Path path;
    path.dscp = static_cast<std::uint8_t>(in >> 24U);
    path.hop_limit = static_cast<std::uint8_t>(in >> 16U);
    path.flow_label = static_cast<std::uint32_t>(in >> 60U) << 16U | wqe.flow_label;
    path.source = static_cast<IpAddress>(in >> 56U & 3U);
    path.destination = static_cast<IpAddress>(in >> 58U & 3U);
    return {Peer{static_cast<std::uint16_t>(in)}, Qpn{static_cast<std::uint32_t>(in >> 32U) & Psn::kMask},
            wqe.remote_key, path};
}

/// What a datagram's receive buffer begins with (IBTA vol. 1, 11.4.1.2): 20 bytes of zero, then the IPv4 header, or
/// that of IPv6.
inline constexpr std::uint32_t kGrhBytes = 40;

struct ReceiveWqe {
    std::uint32_t index = 0;  ///< in its queue, counted on without end (mod 2^32)
    ReceiveSges sges;
};

/// Bytes that the SGEs name; more than 32 bits of them are possible.
template <std::size_t N>
constexpr std::uint64_t bytes_of(const FixedList<Sge, N>& sges) {
    std::uint64_t sum = 0;
    for (const Sge& sge : sges) sum += sge.length;
    return sum;
}
constexpr std::uint64_t bytes_of(const SendWqe& wqe) {
    return wqe.inline_data ? wqe.inline_length : bytes_of(wqe.sges);
}

/// A CQE. `index`: of the WQE, in its send or receive queue.
struct Completion {
    Qpn qp;
    Cqn cq{};
    bool receive = false;
    Status status = Status::success;
    std::uint32_t index = 0;
    Verb verb = Verb::send;   ///< of a receive: what the peer has posted
    std::uint32_t bytes = 0;  ///< received or read
    std::uint32_t immediate_or_key = 0;
    bool solicited = false;  ///< raises the event of a CQ that is armed for solicited ones only
    bool grh = false;        ///< of a datagram: `bytes` counts kGrhBytes in front of the payload
    Qpn from;                ///< of a datagram: source QP
    /// Of a WRITE_PERSIST: where its bytes begin, as its sender names it; the PSN is the immediate (V-P6).
    std::uint64_t address = 0;
    friend constexpr bool operator==(const Completion&, const Completion&) = default;
};

/// What is told beside the completions (ibv_get_async_event).
enum class EventKind : std::uint8_t {
    qp_request_error,
    qp_access_error,
    qp_fatal,
    sq_drained,
    last_wqe_reached,
    cq_error,
    srq_limit_reached
};
struct AsyncEvent {
    EventKind kind = EventKind::qp_fatal;
    Qpn qp;
    Cqn cq{};                  ///< of cq_error
    ReceiveQueueNumber srq{};  ///< of srq_limit_reached
    friend constexpr bool operator==(const AsyncEvent&, const AsyncEvent&) = default;
};

}  // namespace rnicsim::rc
