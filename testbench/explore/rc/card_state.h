// SPDX-License-Identifier: Apache-2.0
// One card of an exploration with its host, as one value. It takes down what the decisions ask for, and checks what can
// be said at once.
#pragma once

#include "model/rnic/rc/rc_transport.h"
#include "testbench/explore/rc/durable.h"
#include "testbench/explore/rc/workload.h"

#include <array>
#include <compare>
#include <optional>
#include <string_view>
#include <vector>

namespace rnicsim::rc {

inline constexpr std::uint32_t kExploredMtu = 256;
inline constexpr Psn kFirstExplored{0xFF'FFFE};  ///< wraps after two packets
inline constexpr std::size_t kMostMessages = 3;  ///< of a requester

/// Payload has no bytes: it is the packet of a message of a requester.
struct Payload {
    std::uint8_t requester = 0, message = 0, packet = 0;
    friend constexpr auto operator<=>(const Payload&, const Payload&) = default;
};

/// Where a message goes to and comes from, if it has a payload.
std::uint64_t address_of(const Workload& workload, std::uint32_t requester, std::uint32_t message);

/// Payloads of one direction, in the order in which they are asked for, and in which they are posted.
struct Landing {
    std::vector<Payload> placed, in_memory;
};

/// One QP, and what its program knows of it.
struct EndState {
    Qpn qp;
    // As a requester.
    std::uint32_t posted = 0, ended = 0, cqes = 0;  ///< WQEs; their CQEs: decided, in memory
    bool failed = false;                            ///< a CQE has told of a failure
    Landing answers;
    // As a responder.
    Landing requests;
    std::array<std::uint8_t, kMostMessages> receive_of{};  ///< by message: number of the receive WQE that it took + 1
    std::uint32_t receives_ended = 0, receive_cqes = 0;
    std::uint32_t atomics = 0;
    std::array<std::uint8_t, kMostMessages> rnr_naks{};  ///< by message, with copies; where rnr_retry is not endless
    std::optional<Psn> open_nak;                         ///< the gap that it has told of
    std::vector<Psn> told;                               ///< packets that it has told of by selective NAKs
    std::optional<Psn> persisted;                        ///< as it was when it was looked at last
    bool modified = false;                               ///< to ERR, by its program
    bool told_last_wqe = false;
};

struct CardState final : RcActions {
    /// Something to be written to memory. CQEs come behind the payload that was asked for before them.
    struct Write {
        std::uint8_t end = 0;
        bool of_request = false, is_cqe = false, judged = false;
        bool ends_job = false;  ///< nothing: the writes of the oldest persist job are those before it
        Payload payload;        ///< of a CQE: of the packet that has brought it
        Completion cqe;
    };

    CardState(const Workload& workload, std::uint8_t number, std::uint8_t qps);
    void connect(std::uint8_t end, std::uint8_t peer, Qpn peers);

    void fetch_wqe(const SendFetch& fetch) override { fetches.push_back(fetch); }
    void fetch_receives(ReceiveQueueNumber /*queue*/) override { ++receive_fetches; }
    void read_record(ReceiveQueueNumber /*queue*/) override {}  // no limit is armed
    void place(const Placement& placement) override;
    void atomic(const AtomicJob& job) override;
    bool has_room_to_persist() override { return durable->has_room(); }
    void persist(const PersistJob& job) override;
    void complete(const Completion& completion) override;
    void event(const AsyncEvent& event) override;
    void noted(Qpn qp, RcCount what) override;

    [[nodiscard]] std::uint8_t qps() const { return static_cast<std::uint8_t>(ends.size()); }
    [[nodiscard]] const Qp& state(std::uint8_t end) const { return *rc.qp(ends[end].qp); }
    [[nodiscard]] std::uint8_t number_of(Qpn qp) const { return static_cast<std::uint8_t>(qp.n - ends[0].qp.n); }
    [[nodiscard]] const ReceiveQueue& receives() const { return rc.receive_queue(rq); }
    [[nodiscard]] bool has_turn(Lane lane) const;
    /// The oldest write is in memory. Precondition: there is one.
    Write write_one();
    void atomic_done();
    /// Of this flush read, and so of what was posted before it. Precondition: durable->reads(tag).
    void flush_read_done(std::uint32_t tag);
    /// Tells the decisions what is durable.
    void tell_durable();
    /// Does this payload of a request to that QP last?
    [[nodiscard]] bool lasts(std::uint8_t end, const Payload& payload) const;

    const Workload* workload;  // not owned
    RcTransport rc;
    std::uint8_t number;
    ReceiveQueueNumber rq{};
    std::uint32_t key = 0;
    Time now{};
    std::vector<EndState> ends;
    std::vector<SendFetch> fetches;
    std::uint32_t receive_fetches = 0, receives_waiting = 0, receives_posted = 0, receives_taken = 0;
    std::uint32_t shared_ended = 0;  ///< of an SRQ: a bit for each receive WQE that has ended
    std::vector<Write> writes;
    std::vector<AtomicJob> atomics;
    std::uint32_t atomics_done = 0;
    std::optional<Durable> durable;  ///< if something is to be
    bool gone = false;               ///< its region
    // The present packet.
    Payload payload;
    bool tells_rnr = false;
    std::string_view broken;

  private:
    [[nodiscard]] bool lies_right(const Placement& placement) const;
    [[nodiscard]] bool one_place(const Payload& a, const Payload& b) const;
    [[nodiscard]] PostedCounts posted() const;
};

}  // namespace rnicsim::rc
