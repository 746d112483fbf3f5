// SPDX-License-Identifier: Apache-2.0
// One RcTransport with one connected QP, its host's queues, and all actions as lines. Time is a number. What an input
// asks of the host's memory (WQEs) is there at once; placements are posted at once unless a test says otherwise.
#pragma once

#include "model/rnic/rc/ack_time.h"
#include "model/rnic/rc/rc_transport.h"
#include "testbench/tests/verbs/verbs_text.h"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rnicsim::rc {

inline constexpr Peer kFarCard{3};
inline constexpr Qpn kFar{77};            ///< the peer's QP
inline constexpr Psn kSq{100}, kRq{500};  ///< the first PSNs, sent and expected
inline constexpr std::uint32_t kMtu = 256;
inline constexpr Access kAllAccess =
    kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushVisible | kFlushPersistent | kWritePersist;

struct EndSettings {
    Service service = Service::reliable;
    RcConfig config{};
    QpAttributes attributes{};
    bool shared = false;  ///< the receive queue is an SRQ
    std::optional<PersistMode> persist{};
    std::uint32_t send_queue_size = 64;
    std::uint64_t to_bus = 0;  ///< how far behind its program's addresses the region lies for DMA
    EndSettings() {
        config.window = 64;
        config.ack_interval = 1000;
        attributes.access = kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushVisible | kFlushPersistent;
        attributes.peer = kFarCard;
        attributes.path_mtu = kMtu;
        attributes.dest_qpn = kFar;
        attributes.sq_psn = kSq;
        attributes.rq_psn = kRq;
        attributes.max_rd_atomic = attributes.max_dest_rd_atomic = 4;
        attributes.timeout = 1;  // 8.192 us
        attributes.retry_cnt = 2;
        attributes.rnr_retry = 1;
    }
};

inline constexpr Time kAckTime{8'192'000};

class End : public RcActions {
  public:
    explicit End(const EndSettings& s = {}) : rc(s.config), attributes(s.attributes) {
        rq = rc.create_receive_queue(s.shared);
        QpInit init;
        init.service = s.service;
        init.pd = Pd{1};
        init.receive_queue = rq;
        init.send_queue_size = s.send_queue_size;
        init.persist = s.persist;
        init.send_cq = Cqn{1};
        init.receive_cq = Cqn{2};
        qp = *rc.create_qp({}, init);
        key = *rc.regions().add(Pd{1}, {4096, 1U << 20U}, kAllAccess, {}, 4096 + s.to_bus);
        connect();
    }

    // The host.
    void connect() {
        const Service service = state().init.service;
        QpState from = QpState::reset;
        for (const QpState to : {QpState::init, QpState::rtr, QpState::rts}) {
            modify(to, needed_attributes(service, from, to));
            from = to;
        }
    }
    void modify(QpState to, AttributeMask mask = attribute::kNone) {
        REQUIRE(rc.modify_qp(now, qp, to, mask, attributes, *this) == ModifyError::none);
        serve();
    }
    Lines to(QpState state) {
        modify(state);
        return take();
    }
    Lines post(const SendWqe& wqe) {
        sends.push_back(wqe);
        CHECK(rc.on_post(now, qp, 1, *this));
        serve();
        return take();
    }
    /// A receive WQE of so many bytes from `address` on.
    void receive(std::uint32_t bytes, std::uint64_t address = 65536) { receive({{address, bytes, key}}); }
    void receive(const ReceiveSges& sges) { receives.push_back({next_receive++, sges}); }

    // The wire.
    Lines packet(roce::Header h, Peer from = kFarCard) {
        h.to = qp;
        if (rc.on_packet(now, from, h, *this) == Taken::later) {
            serve();
            CHECK(rc.on_packet(now, from, h, *this) == Taken::yes);
        }
        serve();
        return take();
    }
    /// All request packets that may leave now, or the first `most`.
    Lines send(std::uint32_t most = 1000) { return pull(Lane::request, most); }
    Lines answers(std::uint32_t most = 1000) { return pull(Lane::answer, most); }
    Lines notifications(std::uint32_t most = 1000) { return pull(Lane::notification, most); }
    /// The MAC has taken so many of them.
    Lines taken(std::uint32_t packets = 1) {
        for (; packets != 0; --packets) rc.on_sent(now, qp, *this);
        serve();
        return take();
    }

    // Time.
    Lines timers(Time at) {
        now = at;
        rc.on_timer(now, *this);
        serve();
        return take();
    }
    /// Something is due at exactly this time.
    Lines expiry(Time at) {
        CHECK(rc.next_deadline() == at);
        CHECK(timers(at - kPicosecond) == Lines{});
        return timers(at);
    }
    /// All is durable up to here.
    void durable(Psn psn) { rc.on_persisted(now, qp, psn, *this); }
    /// The oldest payload of a request is posted.
    void posted() { rc.on_placed(now, qp); }

    [[nodiscard]] const Qp& state() const { return *rc.qp(qp); }

    // Actions.
    void fetch_wqe(const SendFetch& fetch) override { fetches.push_back(fetch); }
    void fetch_receives(ReceiveQueueNumber /*queue*/) override { ++receive_fetches; }
    void read_record(ReceiveQueueNumber /*queue*/) override { ++record_reads; }
    void place(const Placement& placement) override {
        lines.push_back(text(placement));
        if (placement.of_request && posts_at_once) ++unposted;
    }
    void atomic(const AtomicJob& job) override {
        lines.push_back((job.compare_swap ? "swap " : "add ") + std::to_string(job.address));
    }
    bool has_room_to_persist() override { return has_room; }
    void persist(const PersistJob& job) override {
        lines.push_back("persist " + std::to_string(job.psn.n) +
                        (job.address ? " at " + std::to_string(*job.address) : " of no byte"));
    }
    void complete(const Completion& completion) override { lines.push_back(text(completion)); }
    void event(const AsyncEvent& event) override { lines.push_back("event " + name_of(event.kind)); }

    RcTransport rc;
    QpAttributes attributes;
    Qpn qp;
    ReceiveQueueNumber rq{};
    std::uint32_t key = 0;
    Time now{};
    bool posts_at_once = true;
    bool serves = true;    ///< WQEs are read at once
    bool has_room = true;  ///< to make something durable
    std::vector<SendWqe> sends;
    std::deque<ReceiveWqe> receives;
    std::uint32_t next_receive = 0;
    std::deque<SendFetch> fetches;
    std::uint32_t receive_fetches = 0, record_reads = 0, unposted = 0;
    Lines lines;
    Segments left_from;  // of the last packet that left

    Lines take() { return std::exchange(lines, {}); }
    void serve() {
        while (serves && (!fetches.empty() || receive_fetches != 0 || record_reads != 0)) {
            if (!fetches.empty()) {
                const SendFetch f = fetches.front();
                fetches.pop_front();
                for (std::uint32_t i = 0; i < f.count; ++i) rc.on_fetched(now, qp, sends.at(f.first + i), *this);
            } else if (record_reads != 0) {
                --record_reads;
                rc.on_record(rq, next_receive, *this);
            } else {
                --receive_fetches;
                rc.on_record(rq, next_receive, *this);
                const std::vector<ReceiveWqe> all(receives.begin(), receives.end());
                receives.clear();
                rc.on_fetched_receives(now, rq, all, *this);
            }
        }
        for (; unposted != 0; --unposted) posted();
    }

  private:
    Lines pull(Lane lane, std::uint32_t most) {
        while (most-- != 0) {
            const auto packet = rc.next_packet(now, lane, *this);
            if (!packet) break;
            lines.push_back(text(packet->header));
            left_from = packet->from;
            serve();
        }
        return take();
    }
};

// Work requests of so many bytes at the local address 8192 and the remote one 40960.
inline SendWqe wqe(Verb verb, std::uint32_t bytes, const End& end) {
    SendWqe w;
    w.verb = verb;
    if (bytes != 0) w.sges.push({8192, bytes, end.key});
    w.remote_address = verb == Verb::send || verb == Verb::send_imm || verb == Verb::send_inv ? 0 : 40960;
    w.remote_key = 9;
    if (verb == Verb::send_imm || verb == Verb::write_imm) w.immediate_or_key = 5;
    return w;
}

// What the peer sends. Addresses are ours.
inline roce::Header request(roce::Opcode opcode, Psn psn, std::uint32_t payload = 0) {
    roce::Header h;
    h.opcode = opcode;
    h.psn = psn;
    h.payload = payload;
    h.ack_request = true;
    return h;
}
inline roce::Header reth(roce::Header h, const End& end, std::uint32_t length, std::uint64_t address = 40960) {
    h.address = address;
    h.key = end.key;
    h.length = length;
    return h;
}
inline roce::Header answer(Psn psn, roce::AckKind kind = roce::AckKind::ack, std::uint8_t value = roce::kNoCredits) {
    roce::Header h;
    h.opcode = roce::Opcode::ack;
    h.psn = psn;
    h.aeth.kind = kind;
    h.aeth.value = value;
    return h;
}
inline roce::Header nak(Psn psn, roce::NakCode code) {
    return answer(psn, roce::AckKind::nak, static_cast<std::uint8_t>(code));
}
inline roce::Header rnr(Psn psn, std::uint8_t code) { return answer(psn, roce::AckKind::rnr_nak, code); }
inline roce::Header response(roce::Opcode opcode, Psn psn, std::uint32_t payload) {
    roce::Header h;
    h.opcode = opcode;
    h.psn = psn;
    h.payload = payload;
    return h;
}

}  // namespace rnicsim::rc
