// SPDX-License-Identifier: Apache-2.0
// What a program's verbs library and the simulator say to each other: a Unix socket (SOCK_SEQPACKET) for each thread of
// a program, requests and answers in turn. Plain structs in the machine's own byte order: both sides are of one build.
//
// A thread sends a request and waits for its answer; posts, arm, stop_waiting and those that set or free timers have
// none. Time is simulated time in picoseconds. In strict mode each request says when it is made, `at`; an answer says
// when it came, `now`, and the thread goes on from there. In free mode `at` is not looked at.
#pragma once

#include "testbench/programs/protocol/charge.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rnicsim::programs {

inline constexpr std::uint32_t kProtocol = 4;                        ///< version; both sides must have the same
inline constexpr std::size_t kMostMessage = std::size_t{64} * 1024;  ///< bytes of a request or an answer
inline constexpr const char* kSocketVariable = "RNICSIM_SOCKET";     ///< environment: path of the socket
inline constexpr const char* kHostVariable = "RNICSIM_HOST";         ///< environment: name of the host it runs on

/// Objects are known by numbers that the simulator gives, each kind of a host from its own table; 0 is none.
using Handle = std::uint32_t;

enum class Op : std::uint16_t {
    hello,            ///< Hello -> Welcome, and a descriptor: of a page with a ClockPage; the first of each connection
    query_device,     ///< - -> Device
    alloc_pd,         ///< - -> Made
    free_pd,          ///< Handle -> -
    register_memory,  ///< Registration -> Registered
    reregister_memory,  ///< Reregistration -> Registered, with the same handle and keys: peers have them already
    free_memory,        ///< Handle -> -
    create_channel,     ///< - -> Made, and a descriptor (SCM_RIGHTS): a datagram socket, one ChannelEvent each event
    destroy_channel,    ///< Handle -> -; also one of async_events
    create_cq,          ///< CqInit -> CqMade
    resize_cq,          ///< CqSize -> CqMade
    destroy_cq,         ///< Handle -> -
    arm,                ///< Arm, no answer
    poll,               ///< Poll -> Polled and `count` Completions
    create_srq,         ///< SrqInit -> SrqMade
    modify_srq,         ///< SrqChange -> -
    query_srq,          ///< Handle -> SrqChange
    destroy_srq,        ///< Handle -> -
    create_qp,          ///< QpRequest -> QpMade
    modify_qp,          ///< QpChange -> Dropped, of a QP that goes to RESET: its completions are gone
    query_qp,           ///< Handle -> QpChange, all attributes
    destroy_qp,         ///< Handle -> Dropped; its completions are gone from their CQs
    post_send,          ///< Posts, then `count` x {Send, SGEs or inline bytes}; no answer
    post_receive,       ///< Posts, then `count` x {Receive, SGEs}; no answer. To a QP
    post_srq_receive,   ///< the same, to an SRQ
    async_events,       ///< - -> Made, and a descriptor: like a channel, for AsyncEvents; one for each open device
    wait,               ///< Wait -> Woken: until an event is sent to one of the process's descriptors, at most so long;
                        ///< at once if one was sent since the last answer to this thread
    query_counters,     ///< - -> Counters: as in /sys/class/infiniband/*/ports/1
    stop_waiting,       ///< ends the `wait` that this thread is in, if it still is. No answer of its own
    sleep,              ///< Sleep -> -: for so long, whatever happens
    set_timer,   ///< Timer, no answer of its own, also while another request is under way. SIGALRM to the process
    cm_open,     ///< - -> Made, and a descriptor: of the connection manager; readable while it has events
    cm_close,    ///< Handle -> -; its identifiers are destroyed
    cm_command,  ///< CmCommand, then what a program writes to /dev/infiniband/rdma_cm -> CmAnswer, then what the
                 ///< kernel would write to the program; EAGAIN: there is no event yet
    write_back,  ///< WriteBack -> -: when the host's processor has flushed these lines from its cache; of memory that
                 ///< is not persistent at once
    make_timer,  ///< TimerInit -> Made, and a descriptor if it has no signal: an eventfd, 1 more each time
    set_own_timer,     ///< TimerSetting, no answer of its own, also while another request is under way
    free_timer,        ///< Handle, no answer; who reads its descriptor is woken
    give_back_memory,  ///< GivenBack -> -: the program is about to give this memory back to its system; what of it is
                       ///< registered stays the card's as it is now
    charge,            ///< Charged -> -: for as long as the thread's processor works for this; EINVAL: of no kind
};

struct RequestHeader {
    Op op{};
    std::uint16_t zero = 0;
    std::uint32_t bytes = 0;  ///< of the whole message
    std::int64_t at = 0;      ///< the thread's clock when it makes the request, before the request's cost
};

struct AnswerHeader {
    std::int32_t error = 0;   ///< an errno; 0: done, and what the request asks for follows
    std::uint32_t bytes = 0;  ///< of the whole message
    std::int64_t now = 0;     ///< the thread's clock from here on
};

struct Hello {
    std::uint32_t version = kProtocol;
    std::int32_t thread = 0;  ///< gettid(); of what process the socket says
    char host[64]{};          ///< from the environment; empty: the scenario's only host or the first one
    char program[64]{};       ///< its name, for messages
};
/// Costs are picoseconds of simulated time, from host.verbs.* of the scenario. A call that posts sends, however many,
/// costs post + push (push: 0 where the scenario posts by doorbell); one that posts receives costs receive. The library
/// adds these to `at` of its next request; the simulator adds the costs of what has an answer to `now`. To arm costs
/// nothing.
struct Welcome {
    std::uint8_t strict = 0;
    std::uint8_t hosts = 0, host = 0;  ///< how many the scenario has with such a card, and which one this is, from 0
    std::int64_t post = 0, push = 0, receive = 0, poll = 0, event_read = 0, arm = 0, clock_read = 0;
    std::int64_t start = 0;     ///< real time of simulated time 0, ns since 1970: what clocks show
    std::uint32_t tsc_mhz = 0;  ///< what rdtsc counts
};

/// What all threads can read at any time. Simulated time stands still while a thread computes, so that one that comes
/// back from something else than a request finds here when that is.
struct ClockPage {
    std::int64_t now = 0;  ///< ps; read and written as one
};

struct Device {
    std::uint64_t guid = 0;     ///< in network order
    std::uint8_t gid[8][16]{};  ///< only those that are not zero are valid
    std::uint8_t mac[6]{};
    std::uint16_t mtu = 0;   ///< bytes of payload: 256 to 4096
    std::uint32_t mbps = 0;  ///< rate of the port
    std::uint32_t link_up = 1;
    std::uint32_t max_qp = 0, max_qp_wr = 0, max_sge = 0, max_sge_rd = 0, max_cq = 0, max_cqe = 0, max_mr = 0,
                  max_pd = 0;
    std::uint32_t max_qp_rd_atom = 0, max_qp_init_rd_atom = 0, max_srq = 0, max_srq_wr = 0, max_srq_sge = 0,
                  max_inline = 0, max_ah = 0;
    std::uint64_t max_mr_size = 0;
    std::uint32_t vendor = 0, part = 0;  ///< ibv_device_attr's
    std::uint16_t pci_vendor = 0, pci_device = 0;
    std::uint32_t zero = 0;
};

struct Made {
    Handle handle = 0;
};
struct Registration {
    Handle pd = 0;
    std::uint32_t access = 0;   ///< ibv_access_flags, the low 16 bits
    std::uint64_t address = 0;  ///< in the program
    std::uint64_t bytes = 0;
    std::uint64_t iova = 0;  ///< the address that work requests and peers use
};
struct Reregistration {
    Handle region = 0;
    std::uint32_t what = 0;  ///< ibv_rereg_mr_flags
    Registration to;
};
struct Registered {
    Handle region = 0;
    std::uint32_t lkey = 0, rkey = 0;
};
struct CqInit {
    std::uint32_t cqes = 0;
    Handle channel = 0;  ///< 0: none
    Handle events = 0;   ///< where its AsyncEvents go, of async_events; so with SRQs and QPs
    std::uint32_t zero = 0;
    std::uint64_t cookie = 0;  ///< comes back in ChannelEvents and AsyncEvents
};
struct CqSize {
    Handle cq = 0;
    std::uint32_t cqes = 0;
};
struct CqMade {
    Handle cq = 0;
    std::uint32_t cqes = 0;  ///< that it really has
};
struct Arm {
    Handle cq = 0;
    std::uint32_t solicited_only = 0;
};
struct ChannelEvent {
    std::uint64_t cookie = 0;
    std::int64_t at = 0;
};
struct Poll {
    Handle cq = 0;
    std::uint32_t most = 0;  ///< completions
};
struct Polled {
    std::uint32_t count = 0, zero = 0;
};
struct Completion {
    std::uint32_t qpn = 0;
    std::uint32_t index = 0;  ///< of the work request in its queue, mod 2^32; from 0, also after a RESET of the QP
    std::uint8_t receive = 0;
    std::uint8_t from_srq = 0;
    std::uint8_t status = 0;  ///< ibv_wc_status
    std::uint8_t opcode = 0;  ///< ibv_wc_opcode
    std::uint32_t flags = 0;  ///< ibv_wc_flags
    std::uint32_t bytes = 0;
    std::uint32_t immediate_or_key = 0;  ///< immediate: as posted, in network order; IBV_WC_WITH_INV: the key
    std::uint32_t source_qpn = 0;
    std::uint32_t vendor_error = 0;
    std::int64_t at = 0;  ///< when the card wrote it
};

struct SrqInit {
    Handle pd = 0, events = 0;
    std::uint32_t wqes = 0, sges = 0, limit = 0, zero = 0;
    std::uint64_t cookie = 0;  ///< comes back in AsyncEvents
};
struct SrqMade {
    Handle srq = 0;
    std::uint32_t wqes = 0, sges = 0;  ///< that it really has
};
struct SrqChange {
    Handle srq = 0;
    std::uint32_t what = 0;  ///< ibv_srq_attr_mask
    std::uint32_t wqes = 0, sges = 0, limit = 0;
};

struct QpRequest {
    Handle pd = 0, send_cq = 0, receive_cq = 0, srq = 0, events = 0;
    std::uint8_t type = 0;  ///< ibv_qp_type: RC, UC, UD
    std::uint8_t all_signaled = 0;
    std::uint32_t send_wqes = 0, receive_wqes = 0, send_sges = 0, receive_sges = 0, inline_bytes = 0;
    std::uint64_t cookie = 0;  ///< comes back in AsyncEvents
};
struct QpMade {
    std::uint32_t qpn = 0;  ///< also its handle
    std::uint32_t send_wqes = 0, receive_wqes = 0, send_sges = 0, receive_sges = 0, inline_bytes = 0;
};
/// Of ibv_qp_attr, what a RoCEv2 card knows; values as there.
struct QpChange {
    std::uint32_t qpn = 0;
    std::uint32_t what = 0;  ///< ibv_qp_attr_mask
    std::uint8_t state = 0, current_state = 0, path_mtu = 0, path_mig_state = 0;
    std::uint32_t qkey = 0, rq_psn = 0, sq_psn = 0, dest_qpn = 0, access = 0;
    std::uint8_t peer_gid[16]{};
    std::uint8_t has_grh = 0, sgid_index = 0, hop_limit = 0, traffic_class = 0, sl = 0, port = 0;
    std::uint16_t pkey_index = 0, dlid = 0;
    std::uint32_t flow_label = 0;
    std::uint8_t max_rd_atomic = 0, max_dest_rd_atomic = 0, min_rnr_timer = 0, timeout = 0, retry_cnt = 0,
                 rnr_retry = 0, sq_draining = 0, all_signaled = 0;
    std::uint32_t send_wqes = 0, receive_wqes = 0, send_sges = 0, receive_sges = 0, inline_bytes = 0;  ///< query only
};

/// Followed by `count` x std::uint32_t: the indices of those work requests of the QP's SRQ that it took and that no
/// completion will tell of any more.
struct Dropped {
    std::uint32_t count = 0, zero = 0;
};

struct Posts {
    std::uint32_t queue = 0;  ///< QPN, or the handle of an SRQ
    std::uint32_t count = 0;
    std::uint32_t first = 0;  ///< index of the first of them: threads that share a queue have a socket each
    std::uint32_t zero = 0;
};
struct Sge {
    std::uint64_t address = 0;
    std::uint32_t length = 0, lkey = 0;
};
/// Followed by `sges` Sge, or by `inline_bytes` bytes, padded to 8.
struct Send {
    std::uint8_t opcode = 0;  ///< ibv_wr_opcode
    std::uint8_t flags = 0;   ///< ibv_send_flags; IBV_SEND_INLINE: inline_bytes follow
    std::uint16_t sges = 0;
    std::uint32_t inline_bytes = 0;
    std::uint32_t immediate_or_key = 0;
    std::uint32_t rkey = 0;
    std::uint64_t remote_address = 0;
    std::uint64_t compare = 0, swap_or_add = 0;
    std::uint8_t peer_gid[16]{};  ///< UD: from the address handle
    std::uint32_t peer_qpn = 0, qkey = 0;
    std::uint8_t flush_placement = 0, flush_selectivity = 0;  ///< ibv_placement_type, ibv_selectivity_level
    std::uint8_t traffic_class = 0, hop_limit = 0;            ///< UD: from the address handle
    std::uint32_t flush_bytes = 0;                            ///< from remote_address on
    std::uint32_t flow_label = 0, sgid_index = 0;             ///< UD: from the address handle
};
/// Followed by `sges` Sge.
struct Receive {
    std::uint32_t sges = 0, zero = 0;
};

struct AsyncEvent {
    std::uint64_t cookie = 0;  ///< of the QP, CQ or SRQ that it tells of; of the port: 0
    std::uint32_t type = 0;    ///< ibv_event_type
    std::uint32_t zero = 0;
};

struct Wait {
    std::int64_t longest = 0;   ///< ps; negative: no limit
    std::uint32_t outside = 0;  ///< 1: the thread also waits for something that is not the simulator's
    std::uint32_t paced = 0;    ///< 1: only for that: for this wait alone time goes on no faster than the machine's
};
struct Sleep {
    std::int64_t time = 0;  ///< ps, from the request's `at`
};
/// As ITIMER_REAL, of the whole process.
struct Timer {
    std::int64_t first = 0;  ///< ps, from the request's `at`; 0: none
    std::int64_t again = 0;  ///< ps, from each time to the next; 0: once
};
/// What timerfd_create() and timer_create() make.
struct TimerInit {
    std::int32_t signal = 0;  ///< to be sent to the process each time; 0: it counts in a descriptor
    std::int32_t thread = 0;  ///< gettid() of the one that gets the signal; 0: any
    std::uint64_t value = 0;  ///< goes with it
};
struct TimerSetting {
    Handle timer = 0;
    std::uint32_t zero = 0;
    Timer to;
};
struct WriteBack {
    std::uint64_t address = 0;  ///< in the program
    std::uint64_t bytes = 0;    ///< at most kMostWriteBack
};
struct Charged {
    ChargeKind kind{};
    std::uint32_t zero = 0;
    std::uint64_t amount = 0, of = 0;  ///< as rnicsim_charge() has them
};
struct GivenBack {
    std::uint64_t address = 0, bytes = 0;  ///< in the program
};
inline constexpr std::uint64_t kMostWriteBack = std::uint64_t{1} << 34U;
struct Woken {
    std::uint8_t timed_out = 0;
};

struct Counters {
    std::uint64_t tx_bytes = 0, tx_packets = 0, rx_bytes = 0, rx_packets = 0, out_of_sequence = 0,
                  rnr_nak_retry_err = 0, local_ack_timeout_err = 0, packet_seq_err = 0, np_cnp_sent = 0,
                  rp_cnp_handled = 0, implied_nak_seq_err = 0, duplicate_request = 0, np_ecn_marked_roce_packets = 0;
};

/// Commands are those of the kernel (rdma/rdma_user_cm.h).
struct CmCommand {
    Handle channel = 0;
    std::uint32_t zero = 0;
};
struct CmAnswer {
    std::uint64_t to = 0;  ///< where the command wants what follows
};

static_assert(std::is_trivially_copyable_v<Completion> && std::is_trivially_copyable_v<Send>);
static_assert(sizeof(Send) % 8 == 0 && sizeof(Receive) % 8 == 0 && sizeof(Sge) % 8 == 0 && sizeof(Posts) == 16);
static_assert(sizeof(Polled) == 8 && sizeof(Completion) % 8 == 0 && sizeof(AnswerHeader) % 8 == 0);

}  // namespace rnicsim::programs
