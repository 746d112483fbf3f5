// SPDX-License-Identifier: Apache-2.0
// All that a RoCEv2 RNIC decides about its QPs (VERBS.md has the rules). Plain C++, no
// SystemC: time is passed in, payload never enters, and a copy is a second card in the same state.
//
// The card around it keeps the order of what belongs to one QP: packets as they come, WQEs as they were asked for,
// posted writes as they were asked for, and packets of a lane as next_packet() has given them.
#pragma once

#include "model/rnic/rc/actions.h"
#include "model/rnic/rc/deadlines.h"
#include "model/rnic/rc/memory_use.h"
#include "model/rnic/rc/psn_engine.h"
#include "model/rnic/rc/qp_table.h"
#include "model/rnic/rc/request_checks.h"

#include <array>
#include <span>

namespace rnicsim::rc {

class RcTransport {
  public:
    explicit RcTransport(const RcConfig& config, const RequestCheckEngine& checks = kRequestChecks,
                         const PsnEngine& psns = kPsnModel);

    // The driver's commands.
    MrTable& regions() { return regions_; }
    [[nodiscard]] const MrTable& regions() const { return regions_; }
    ReceiveQueueNumber create_receive_queue(bool shared);
    /// Its number is the next one's. Precondition: no QP has it, and nothing of it is being read.
    void destroy_receive_queue(ReceiveQueueNumber queue) { free_receive_queues_.push_back(queue); }
    /// Is there a QPN for one more?
    [[nodiscard]] bool has_free_qp(Time now) const { return qps_.has_free(now); }
    /// Nothing: no QPN is free. Precondition: its receive queue has been made.
    std::optional<Qpn> create_qp(Time now, QpInit init);
    bool destroy_qp(Time now, Qpn qp) { return qps_.destroy(now, qp, config_.qp_rest); }
    /// Raise an event, once, when fewer than `limit` receive WQEs are in this shared queue; 0: do not (V-S14). Of a
    /// queue that is none, or not shared, nothing happens.
    void arm_limit(ReceiveQueueNumber queue, std::uint32_t limit, RcActions& actions);
    ModifyError modify_qp(Time now, Qpn qp, QpState to, AttributeMask mask, const QpAttributes& values,
                          RcActions& actions);

    // What comes from the host.
    /// A doorbell: so many send WQEs more. False: refused, the queue is full or the QP not ready.
    bool on_post(Time now, Qpn qp, std::uint32_t count, RcActions& actions);
    /// One send WQE more, which has come with its doorbell.
    bool on_push(Time now, Qpn qp, const SendWqe& wqe, RcActions& actions);
    void on_fetched(Time now, Qpn qp, const SendWqe& wqe, RcActions& actions);
    void on_fetched_receives(Time now, ReceiveQueueNumber queue, std::span<const ReceiveWqe> wqes, RcActions& actions);
    /// The record of a receive queue has been read: so many have been posted, counted on.
    void on_record(ReceiveQueueNumber queue, std::uint32_t posted, RcActions& actions);
    /// The driver of a QP in ERR has posted receives: they are flushed.
    void on_post_receive(Time now, Qpn qp, RcActions& actions);
    /// A payload of a request is posted, the oldest one of the QP that was not.
    void on_placed(Time now, Qpn qp);
    void on_atomic_done(Time now, Qpn qp, Psn psn, std::uint64_t original);
    /// What PersistJobs of the QP asked for, up to this one.
    void on_persisted(Time now, Qpn qp, Psn psn, RcActions& actions);
    /// A CQE found no room: the CQ's QPs go to ERR.
    void on_cq_full(Time now, Cqn cq, RcActions& actions);

    // The wire.
    Taken on_packet(Time now, Peer from, const roce::Header& header, RcActions& actions);
    /// This packet, which on_packet() gets as well, was marked on its way (V-D1).
    void on_marked(Time now, Peer from, Qpn to, RcActions& actions);
    /// The QPs take turns, packet by packet (V-R2).
    std::optional<Packet> next_packet(Time now, Lane lane, RcActions& actions);
    /// The MAC has taken a packet that tells_sent, the oldest one of the QP that it had not.
    void on_sent(Time now, Qpn qp, RcActions& actions);
    /// What RcActions::at_hand() said no to is on the card now: the QP takes its turn again.
    void on_at_hand(Qpn qp);

    // What a decision will touch (V-K4).
    [[nodiscard]] MemoryUses memory_of(const roce::Header& header) const;
    [[nodiscard]] MemoryUses memory_of_next(Qpn qp, Lane lane) const;

    // Timers.
    /// Not earlier than this has on_timer() anything to do; kEndOfTime: never.
    Time next_deadline();
    void on_timer(Time now, RcActions& actions);

    [[nodiscard]] const RcConfig& config() const { return config_; }
    [[nodiscard]] const Qp* qp(Qpn number) const { return qps_.find(number); }
    template <typename F>
    void for_each_qp(F&& what) const {
        qps_.for_each(what);
    }
    [[nodiscard]] const ReceiveQueue& receive_queue(ReceiveQueueNumber n) const {
        return receive_queues_[static_cast<std::size_t>(n)];
    }
    /// Whose turn is next at the port, to compare states; 0: nobody's.
    [[nodiscard]] Qpn next_turn(Lane lane) const {
        const CountedRing<Qpn>& turns = turns_[static_cast<std::size_t>(lane)];
        return turns.empty() ? Qpn{} : turns.front();
    }
    /// Is there a QP that has more to send, now or when its time comes (pace, packet interval)?
    [[nodiscard]] bool has_to_send() const;
    [[nodiscard]] std::uint64_t count(RcCount c) const { return counts_[c]; }
    /// Can it be anything but 0 in this card?
    [[nodiscard]] bool counts(RcCount c) const;

  private:
    Decision decision(Time now, RcActions& actions) {
        return {now, config_, regions_, *checks_, *psns_, receive_queues_, counts_, actions};
    }
    /// After each decision about a QP: what follows from its new state.
    void settle(Qp& qp, Decision& d);
    static void flush_sends(Qp& qp, Decision& d);
    static void flush_receives(Qp& qp, Decision& d);
    void list(Qp& qp);
    void list(Qp& qp, Lane lane);
    void list_deadline(Qp& qp, Time now);
    [[nodiscard]] static Time deadline_of(const Qp& qp, Time now);

    RcConfig config_;
    const RequestCheckEngine* checks_;
    const PsnEngine* psns_;
    MrTable regions_;
    QpTable qps_;
    std::vector<ReceiveQueue> receive_queues_;
    std::vector<ReceiveQueueNumber> free_receive_queues_;  // the last one is taken first
    Counts counts_;
    bool has_unreliable_ = false;  // a QP of UC or UD has been made
    bool has_persists_ = false;    // a QP with a persist mode has been made
    bool has_processors_ = false;  // ... whose responder's processor makes data durable
    bool has_limits_ = false;      // an SRQ has been armed with a limit
    Deadlines deadlines_;
    std::array<CountedRing<Qpn>, kLanes> turns_;  // by lane: the QPs that may have something to send
};

}  // namespace rnicsim::rc
