// SPDX-License-Identifier: Apache-2.0
// Two cards with hosts and a wire between them: real bytes in memory, packets in queues that lose, copy and reorder at
// will. Each step is one thing that happens; a driver (random_pair.cpp) chooses which.
#pragma once

#include "model/rnic/rc/rc_transport.h"
#include "model/rnic/rc/request_checks.h"

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim::rc {

using Bytes = std::vector<std::uint8_t>;

/// A packet on the wire, with its payload.
struct Flight {
    roce::Header header;
    Bytes payload;
    std::uint32_t wqe = 0;  ///< of a request
};

/// A card with one QP, its host's memory and queues. What is posted to memory, payload and CQEs, gets there in order.
class Card final : public RcActions {
  public:
    static constexpr std::uint64_t kBase = 1U << 16U;

    Card(const RcConfig& config, const QpAttributes& wanted, std::uint32_t memory_size,
         Service service = Service::reliable, std::optional<PersistMode> persist = {})
        : rc(config), attributes(wanted), memory(memory_size) {
        rq = rc.create_receive_queue(false);
        QpInit init;
        init.service = service;
        init.receive_queue = rq;
        init.send_queue_size = 1024;
        init.persist = persist;
        qp = *rc.create_qp({}, init);
        key = *rc.regions().add(Pd{}, {kBase, memory_size},
                                Access{15} | kFlushVisible | kFlushPersistent | kWritePersist);
    }
    void connect(Qpn far) {
        attributes.dest_qpn = far;
        QpState from = QpState::reset;
        for (const QpState to : {QpState::init, QpState::rtr, QpState::rts}) {
            rc.modify_qp({}, qp, to, needed_attributes(state().init.service, from, to), attributes, *this);
            from = to;
        }
    }

    // The program.
    bool post(Time now, const SendWqe& wqe) {
        sends.push_back(wqe);
        return rc.on_post(now, qp, 1, *this);
    }
    void post_receive(const ReceiveSges& sges) { receives.push_back({next_receive++, sges}); }

    // Steps of the hardware around the decisions; false: there was nothing to do.
    bool read_wqes(Time now) {
        if (!fetches.empty()) {
            const SendFetch f = fetches.front();
            fetches.pop_front();
            for (std::uint32_t i = 0; i < f.count; ++i) rc.on_fetched(now, qp, sends.at(f.first + i), *this);
            return true;
        }
        if (receive_fetches == 0) return false;
        --receive_fetches;
        const std::vector<ReceiveWqe> all(receives.begin(), receives.end());
        receives.clear();
        rc.on_fetched_receives(now, rq, all, *this);
        return true;
    }
    bool post_one(Time now) {
        if (posted.empty()) return false;
        const Posted p = std::move(posted.front());
        posted.pop_front();
        if (p.cqe) {
            cqes.push_back(*p.cqe);
            if (on_cqe) on_cqe(*p.cqe);
            return true;
        }
        std::size_t from = 0;
        for (const Segment& s : p.to) {
            std::memcpy(at(s.address), p.payload.data() + from, s.length);
            from += s.length;
        }
        if (p.of_request) rc.on_placed(now, qp);
        return true;
    }
    bool do_atomic(Time now) {
        if (atomics.empty()) return false;
        while (post_one(now)) {}  // a read does not pass what is posted
        const AtomicJob job = atomics.front();
        atomics.pop_front();
        std::uint64_t old = 0;
        std::memcpy(&old, at(job.address), sizeof old);
        const std::uint64_t changed =
            job.compare_swap ? (old == job.compare ? job.swap_or_add : old) : old + job.swap_or_add;
        std::memcpy(at(job.address), &changed, sizeof changed);
        ++atomics_done;
        rc.on_atomic_done(now, qp, job.psn, old);
        return true;
    }
    /// A flush read comes back.
    bool make_durable(Time now) {
        if (persists.empty()) return false;
        while (post_one(now)) {}  // it does not pass what is posted
        durable = persists.front().psn;
        persists.pop_front();
        rc.on_persisted(now, qp, *durable, *this);
        return true;
    }
    std::optional<Flight> transmit(Time now, Lane lane) {
        const auto packet = rc.next_packet(now, lane, *this);
        if (!packet) return {};
        Flight f{packet->header, {}, packet->wqe};
        if (packet->tells_sent) ++leaving;
        if (!packet->from.empty()) {
            while (post_one(now)) {}
        }
        for (const Segment& s : packet->from)
            f.payload.insert(f.payload.end(), at(s.address), at(s.address) + s.length);
        return f;
    }
    /// The MAC takes a packet of UC or UD.
    bool take_by_mac(Time now) {
        if (leaving == 0) return false;
        --leaving;
        rc.on_sent(now, qp, *this);
        return true;
    }
    /// False: it has to come again when receive WQEs have been read.
    bool take(Time now, const Flight& f) {
        present = &f;
        const Taken taken = rc.on_packet(now, attributes.peer, f.header, *this);
        present = nullptr;
        return taken == Taken::yes;
    }

    std::uint8_t* at(std::uint64_t address) { return memory.data() + (address - kBase); }
    [[nodiscard]] const Qp& state() const { return *rc.qp(qp); }
    [[nodiscard]] bool at_rest() const {
        return fetches.empty() && receive_fetches == 0 && leaving == 0 && posted.empty() && atomics.empty() &&
               persists.empty();
    }

    // Actions.
    void fetch_wqe(const SendFetch& fetch) override { fetches.push_back(fetch); }
    void fetch_receives(ReceiveQueueNumber /*queue*/) override { ++receive_fetches; }
    void read_record(ReceiveQueueNumber /*queue*/) override {}  // no limit is armed
    void place(const Placement& placement) override {
        Bytes payload = present->payload;
        if (present->header.opcode == roce::Opcode::atomic_ack) {
            payload.resize(sizeof present->header.original);
            std::memcpy(payload.data(), &present->header.original, payload.size());
        }
        if (placement.with_grh) payload.insert(payload.begin(), kGrhBytes, kInPlaceOfGrh);
        if (on_place) on_place(placement);
        if (placement.of_request) {
            placed.push_back(placement.psn);
            placed_first.push_back(kind_of(present->header.opcode).first);
        }
        posted.push_back({placement.to, std::move(payload), placement.of_request, {}});
    }
    void atomic(const AtomicJob& job) override { atomics.push_back(job); }
    void persist(const PersistJob& job) override { persists.push_back(job); }
    void complete(const Completion& completion) override {
        if (on_complete) on_complete(completion);
        posted.push_back({{}, {}, false, completion});
    }
    void event(const AsyncEvent& event) override { events.push_back(event); }

    RcTransport rc;
    QpAttributes attributes;
    Bytes memory;
    Qpn qp;
    ReceiveQueueNumber rq{};
    std::uint32_t key = 0;
    std::vector<SendWqe> sends;
    std::deque<ReceiveWqe> receives;  // not read yet
    std::uint32_t next_receive = 0;
    std::vector<Completion> cqes;
    std::vector<AsyncEvent> events;
    std::vector<Psn> placed;         ///< PSNs of requests whose payload went to memory
    std::vector<bool> placed_first;  ///< ... and whether each was the first of its message
    std::uint32_t atomics_done = 0;
    std::optional<Psn> durable;                     ///< up to here
    std::function<void(const Completion&)> on_cqe;  ///< when the program can see it
    std::function<void(const Placement&)> on_place;
    std::function<void(const Completion&)> on_complete;  ///< when it is decided
    static constexpr std::uint8_t kInPlaceOfGrh = 0xA5;

  private:
    struct Posted {
        Segments to;
        Bytes payload;
        bool of_request = false;
        std::optional<Completion> cqe;
    };
    std::deque<SendFetch> fetches;
    std::uint32_t receive_fetches = 0;
    std::uint32_t leaving = 0;
    std::deque<Posted> posted;
    std::deque<AtomicJob> atomics;
    std::deque<PersistJob> persists;
    const Flight* present = nullptr;  // not owned
};

}  // namespace rnicsim::rc
