// SPDX-License-Identifier: Apache-2.0
// The events of a run, at the interfaces between blocks. Two simulations of the same scenario are compared by them, and
// everything in testbench/observe is made from them.
#pragma once

#include "model/host_names.h"
#include "model/rnic/drp/host/host_observer.h"
#include "model/rnic/drp/transport_engine.h"
#include "model/rnic/rc/counts.h"
#include "model/rnic/rc/verbs.h"
#include "testbench/records/line_write.h"
#include "tlm/drp/drp_header.h"
#include "tlm/drp/host_queues.h"
#include "tlm/drp/ids.h"
#include "tlm/pcie/pcie_tlp.h"
#include "tlm/roce/packet.h"
#include "tlm/time/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace rnicsim {

/// The bytes of a frame up to the end of a DRP header.
using FrameHead = std::array<std::uint8_t, 46>;

/// A frame that the node has sent: leaves its RNIC, or meets its fate on a link or in a switch.
struct WireFrame {
    enum class Step : std::uint8_t {
        sent,     ///< `at`: the end of its last byte
        lost,     ///< on the link
        damaged,  ///< arrives with a wrong bit; `at` as for arrives
        arrives,  ///< `at`: the end of its last byte, at the other end
        dropped,  ///< by the node itself, a switch
    };
    Step step = Step::sent;
    std::uint16_t from = 0, to = 0;  ///< hosts, by its addresses
    std::uint16_t next = 0;          ///< the node at the other end of the link
    std::uint32_t bytes = 0;         ///< FCS included
    std::uint64_t hash = 0;          ///< of all bytes, where they are new: sent, damaged
    FrameHead head{};
    std::optional<DrpHeader> header{};  ///< decoded once, here; none of an ordinary frame, or if the FCS is wrong
    std::optional<roce::Bth> bth{};     ///< the same of a RoCEv2 packet

    friend bool operator==(const WireFrame&, const WireFrame&) = default;
};

/// A device's access to host memory.
struct MemoryAccess {
    bool write = false;
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;
    std::uint64_t hash = 0;  ///< of what is written

    friend bool operator==(const MemoryAccess&, const MemoryAccess&) = default;
};

/// An RNIC hands a DMA transaction or an interrupt to its link; `at`: when the root complex acts upon it.
struct DmaRequest {
    TlpKind kind = TlpKind::memory_write;
    std::uint32_t bytes = 0;
    std::uint64_t address = 0;

    friend bool operator==(const DmaRequest&, const DmaRequest&) = default;
};

/// The transport controller has decided about this. The results that follow are what came of it.
struct DecisionCause {
    TransportInput input = TransportInput::frame;
    Role role = Role::initiator;
    Tid tid{};
    std::uint16_t other = 0;  ///< the other host of the transfer
    std::optional<CommandCode> command{};
    std::optional<DrpHeader> header{};  ///< of the frame that has arrived, or is fetched

    friend bool operator==(const DecisionCause&, const DecisionCause&) = default;
};

/// Something that the transport controller counts.
struct DecisionResult {
    TransportCount what = TransportCount::requests_sent;
    Role role = Role::initiator;
    Tid tid{};
    std::uint16_t other = 0;  ///< the other host of the transfer

    friend bool operator==(const DecisionResult&, const DecisionResult&) = default;
};

/// The indirect buffer holds so many slots from now on.
struct BufferFill {
    std::uint32_t slots = 0;

    friend bool operator==(const BufferFill&, const BufferFill&) = default;
};

/// A data frame has found the receive buffer full.
struct Overrun {
    DrpHeader header;
    std::uint16_t other = 0;  ///< the host that has sent it

    friend bool operator==(const Overrun&, const Overrun&) = default;
};

/// A step of the host's software, which took from `during` to `at`.
struct SoftwareStep {
    HostStep step = HostStep::requested;
    Role role = Role::initiator;  ///< of this host's RNIC
    Tid tid{};
    std::uint16_t other = 0;  ///< the other host of the transfer
    std::uint32_t value = 0;  ///< as files of events have it; what it means is said by those below

    [[nodiscard]] std::optional<CommandCode> command() const {
        if (step != HostStep::command_posted) return std::nullopt;
        return static_cast<CommandCode>(value);
    }
    [[nodiscard]] std::optional<EventCode> event() const {
        if (step != HostStep::event_taken) return std::nullopt;
        return static_cast<EventCode>(value);
    }
    [[nodiscard]] std::optional<TransferError> error() const {
        if (step != HostStep::failed) return std::nullopt;
        return static_cast<TransferError>(value);
    }
    [[nodiscard]] bool simulated_ack() const { return step == HostStep::acknowledged && value != 0; }
    /// About a frame that is not the RNIC's own: no transfer has a part in it.
    [[nodiscard]] bool of_ordinary_frame() const {
        return command() == CommandCode::send_frame || event() == EventCode::frame_received;
    }

    friend bool operator==(const SoftwareStep&, const SoftwareStep&) = default;
};

/// What a program on a host with a RoCEv2 RNIC does with a message, or sees of it.
struct MessageStep {
    enum class Step : std::uint8_t {
        posted,     ///< `at`: the program calls; what follows takes its processor's time
        completed,  ///< its sender has taken a completion: its own, or a later one that stands for it
        arrived,    ///< its receiver has taken its completion, or has seen its last byte
        failed,     ///< its sender has taken a completion with an error
    };
    Step step = Step::posted;
    std::uint16_t sender = 0, receiver = 0;  ///< hosts
    std::uint32_t qp = 0;                    ///< at its sender, in order of creation, from 0
    std::uint32_t number = 0;                ///< of this QP, from 0
    rc::Verb verb{};                         ///< this and what follows: of `posted`
    std::uint32_t bytes = 0;
    roce::Qpn from, to;
    roce::Psn first;  ///< it takes `packets` PSNs from here on
    std::uint32_t packets = 0;
    roce::Psn first_of_qp;    ///< what `from` has sent first
    std::uint64_t place = 0;  ///< where its payload lands: at the receiver, of READ and atomics the sender
    rc::Status status = rc::Status::success;  ///< of `failed`

    friend bool operator==(const MessageStep&, const MessageStep&) = default;
};

/// What programs do with an item of a scheme, or see of it.
struct PersistStep {
    enum class Step : std::uint8_t {
        posted,     ///< the initiator's program posts the data; `at`: it calls
        follows,    ///< ... another message for them
        answers,    ///< the responder's program posts its message
        arrived,    ///< a program has taken the other one's message
        flushes,    ///< the responder's processor begins to flush the data
        written,    ///< the initiator's program is told that they are written
        persisted,  ///< ... that they are durable
        failed,     ///< ... that they will not be
    };
    Step step = Step::posted;
    std::uint16_t sender = 0, receiver = 0;  ///< hosts: the initiator, the responder
    std::uint32_t qp = 0;                    ///< at its initiator, in order of creation, from 0
    std::uint32_t number = 0;                ///< of this QP, from 0
    std::uint32_t cqe = 0;                   ///< n-th that the host's program has taken, from 1; 0: it comes of none
    rc::Verb verb{};                         ///< this and what follows: of what is posted
    std::uint32_t bytes = 0;
    roce::Qpn from, to;
    roce::Psn first;  ///< it takes `packets` PSNs from here on
    std::uint32_t packets = 0;
    roce::Psn first_of_qp;    ///< what `from` has sent first
    std::uint64_t place = 0;  ///< where the data land at the responder

    friend bool operator==(const PersistStep&, const PersistStep&) = default;
};

/// A write of a line of persistent memory comes into a stage on its way; booked ahead, so `during` is when that was
/// known.
struct LineStep {
    WriteStage stage = WriteStage::nowhere;
    std::uint64_t number = 0;  ///< of the write, counted by host
    std::uint64_t address = 0;
    std::uint64_t mask = 0;  ///< bit i: byte i of the line is written
    std::uint16_t sender = 0;
    std::uint32_t qp = 0, item = 0;  ///< whose data: of this QP of the sender
    bool stored = false;             ///< nobody's: the host's processor has written where data will go

    friend bool operator==(const LineStep&, const LineStep&) = default;
};

/// Something that a RoCEv2 RNIC counts happens to this QP of it.
struct QpNote {
    roce::Qpn qp;
    rc::RcCount what{};

    friend bool operator==(const QpNote&, const QpNote&) = default;
};

/// A program of the machine begins to use a host's card.
struct ProgramBegins {
    std::uint16_t program = 0;       ///< on its host, in the order of their coming, from 0
    std::array<char, 24> letters{};  ///< its name, cut to what fits

    [[nodiscard]] std::string_view name() const { return {letters.data()}; }

    friend bool operator==(const ProgramBegins&, const ProgramBegins&) = default;
};

/// A QP of such a program knows its peer: its packets can be told from now on.
struct QpConnected {
    std::uint16_t program = 0;
    std::uint16_t peer = 0;  ///< host
    std::uint32_t qp = 0;    ///< in order of creation on its host, from 0
    roce::Qpn number, peer_number;
    roce::Psn first, peer_first;  ///< that it sends, that it expects
    bool datagram = false;        ///< it has no peer

    friend bool operator==(const QpConnected&, const QpConnected&) = default;
};

/// A call of such a program that has ended.
struct VerbsCall {
    /// By kVerbsCallNames.
    enum class What : std::uint8_t {
        open_device,
        query_device,
        alloc_pd,
        dealloc_pd,
        reg_mr,
        rereg_mr,
        dereg_mr,
        create_comp_channel,
        destroy_comp_channel,
        create_cq,
        resize_cq,
        destroy_cq,
        req_notify_cq,
        poll_cq,
        create_srq,
        modify_srq,
        query_srq,
        destroy_srq,
        create_qp,
        modify_qp,
        query_qp,
        destroy_qp,
        post_send,
        post_recv,
        post_srq_recv,
        wait,
        rdma_cm
    };
    static constexpr std::uint32_t kNone = ~0U;

    What what{};
    std::uint16_t program = 0;
    std::uint16_t thread = 0;  ///< of this program, from 0
    std::uint32_t qp = kNone;  ///< that it is about, in order of creation on its host
    std::uint32_t first = 0;   ///< posts: index in the queue of the first work request
    std::uint32_t count = 0;   ///< posts: work requests; poll_cq: completions; modify_qp: the state, as ibv_qp_state
    std::int32_t error = 0;    ///< errno
    Time begins;

    friend bool operator==(const VerbsCall&, const VerbsCall&) = default;
};
inline constexpr std::array<std::string_view, 27> kVerbsCallNames{"open_device",
                                                                  "query_device",
                                                                  "alloc_pd",
                                                                  "dealloc_pd",
                                                                  "reg_mr",
                                                                  "rereg_mr",
                                                                  "dereg_mr",
                                                                  "create_comp_channel",
                                                                  "destroy_comp_channel",
                                                                  "create_cq",
                                                                  "resize_cq",
                                                                  "destroy_cq",
                                                                  "req_notify_cq",
                                                                  "poll_cq",
                                                                  "create_srq",
                                                                  "modify_srq",
                                                                  "query_srq",
                                                                  "destroy_srq",
                                                                  "create_qp",
                                                                  "modify_qp",
                                                                  "query_qp",
                                                                  "destroy_qp",
                                                                  "post_send",
                                                                  "post_recv",
                                                                  "post_srq_recv",
                                                                  "wait",
                                                                  "rdma_cm"};

struct LoggedEvent {
    Time at;                ///< when it takes effect
    Time since;             ///< when it was decided; of a DRP core's decision the edge at which its cycle begins
    std::uint16_t end = 0;  ///< the node: a host, or behind all hosts a switch
    std::variant<WireFrame, MemoryAccess, DmaRequest, DecisionCause, DecisionResult, BufferFill, Overrun, SoftwareStep,
                 MessageStep, QpNote, ProgramBegins, QpConnected, VerbsCall, PersistStep, LineStep>
        what;

    friend bool operator==(const LoggedEvent&, const LoggedEvent&) = default;
};
static_assert(std::is_trivially_copyable_v<LoggedEvent>, "it goes through a pipe as it is");

/// For std::visit: a function for each alternative.
template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

class EventSink {
  public:
    virtual ~EventSink() = default;
    /// `frame`: all its bytes if the event is about one on the wire, without FCS.
    virtual void event(const LoggedEvent& event, std::span<const std::uint8_t> frame) = 0;
    /// The same, but at once, to inspect the system at that time. Events of one cycle come in no defined order.
    virtual void at_once(const LoggedEvent& /*event*/) {}
};

/// "posted"; of a message: `completed`, `arrived` ...
std::string_view step_name(MessageStep::Step step);
std::string_view step_name(PersistStep::Step step);
/// "WRITE", "FETCH_ADD"
std::string shown(rc::Verb verb);
/// "post_send a.q0 #7..9", "poll_cq: 2", "modify_qp a.q0 to RTS".
std::string call_text(const VerbsCall& call, const HostNames& hosts, unsigned host);
/// As ibv_wc_status_str(3) names it, without IBV_WC_: "RETRY_EXC_ERR".
std::string_view status_name(rc::Status status);
/// What a decision was about, in words.
std::string cause_text(const DecisionCause& cause);
/// One line: microseconds, place, what.
std::string describe(const LoggedEvent& event, const HostNames& hosts);

}  // namespace rnicsim
