// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/rc/rc_transport.h"

#include "model/rnic/rc/congestion.h"
#include "model/rnic/rc/held_sends.h"
#include "model/rnic/rc/persists.h"
#include "model/rnic/rc/processor_persists.h"
#include "model/rnic/rc/requester.h"
#include "model/rnic/rc/responder.h"
#include "model/rnic/rc/services.h"
#include "model/rnic/rc/unanswered.h"

#include <utility>

namespace rnicsim::rc {
namespace {

bool takes_sends(QpState state) { return state >= QpState::rts; }
/// What is in the send queue, and what will be posted, is flushed.
bool flushes_sends(QpState state) { return state == QpState::sqe || state == QpState::error; }

}  // namespace

RcTransport::RcTransport(const RcConfig& config, const RequestCheckEngine& checks, const PsnEngine& psns)
    : config_(config), checks_(&checks), psns_(&psns), qps_(config.max_qps) {}

ReceiveQueueNumber RcTransport::create_receive_queue(bool shared) {
    if (!free_receive_queues_.empty()) {
        const ReceiveQueueNumber again = free_receive_queues_.back();
        free_receive_queues_.pop_back();
        receive_queues_[static_cast<std::size_t>(again)] = ReceiveQueue(again, shared);
        return again;
    }
    const ReceiveQueueNumber number{static_cast<std::uint32_t>(receive_queues_.size())};
    receive_queues_.emplace_back(number, shared);
    return number;
}

std::optional<Qpn> RcTransport::create_qp(Time now, QpInit init) {
    const std::optional<Qpn> number = qps_.create(now, init);
    ReceiveQueue& receives = receive_queues_[static_cast<std::size_t>(init.receive_queue)];
    if (number && !receives.shared()) receives.set_owner(*number);
    if (number) qps_.find(*number)->pace = new_pace(config_, init.service);
    has_persists_ = has_persists_ || init.persist.has_value();
    has_processors_ = has_processors_ || (init.persist && init.persist->by_processor);
    has_unreliable_ = has_unreliable_ || init.service != Service::reliable;
    return number;
}

bool RcTransport::on_post(Time now, Qpn number, std::uint32_t count, RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr || !takes_sends(qp->state) || !qp->requester.queue.post(count, places_of_held(*qp))) return false;
    actions.reached(number, Stage::posted, qp->requester.queue.posted());
    Decision d = decision(now, actions);
    settle(*qp, d);
    return true;
}

bool RcTransport::on_push(Time now, Qpn number, const SendWqe& wqe, RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr || !takes_sends(qp->state) || !qp->requester.queue.post(1, places_of_held(*qp))) return false;
    SendQueue& queue = qp->requester.queue;
    actions.reached(number, Stage::posted, queue.posted());
    if (queue.takes_pushed()) {  // else it is read from memory, behind those before it
        queue.pushed();
        queue.fetched(wqe);
        actions.reached(number, Stage::fetched, queue.fetched_end());
    }
    Decision d = decision(now, actions);
    settle(*qp, d);
    return true;
}

void RcTransport::on_fetched(Time now, Qpn number, const SendWqe& wqe, RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr || !qp->requester.queue.fetched(wqe)) return;
    actions.reached(number, Stage::fetched, qp->requester.queue.fetched_end());
    Decision d = decision(now, actions);
    settle(*qp, d);
}

void RcTransport::on_fetched_receives(Time now, ReceiveQueueNumber queue, std::span<const ReceiveWqe> wqes,
                                      RcActions& actions) {
    ReceiveQueue& receives = receive_queues_[static_cast<std::size_t>(queue)];
    receives.fetched(wqes, actions);
    Qp* const qp = receives.shared() ? nullptr : qps_.find(receives.owner());
    if (qp == nullptr || (qp->state != QpState::error && !by_processor(*qp))) return;
    Decision d = decision(now, actions);
    receives_came(*qp, d);
    settle(*qp, d);  // in ERR it flushes them
}

void RcTransport::arm_limit(ReceiveQueueNumber queue, std::uint32_t limit, RcActions& actions) {
    const auto number = static_cast<std::size_t>(queue);
    if (number >= receive_queues_.size() || !receive_queues_[number].shared()) return;
    has_limits_ = true;
    receive_queues_[number].arm(limit, actions);
}

void RcTransport::on_record(ReceiveQueueNumber queue, std::uint32_t posted, RcActions& actions) {
    ReceiveQueue& receives = receive_queues_[static_cast<std::size_t>(queue)];
    if (!receives.recorded(posted)) return;
    counts_.add(RcCount::srq_limits_reached);
    actions.noted(receives.taker(), RcCount::srq_limits_reached);
    actions.event({EventKind::srq_limit_reached, {}, {}, queue});
}

void RcTransport::on_post_receive(Time now, Qpn number, RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr || qp->state != QpState::error) return;
    Decision d = decision(now, actions);
    if (!d.receives(*qp).shared()) d.receives(*qp).ask_for_new(actions);
}

void RcTransport::on_placed(Time /*now*/, Qpn number) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr) return;
    request_posted(*qp);
    list(*qp);
}

void RcTransport::on_atomic_done(Time /*now*/, Qpn number, Psn psn, std::uint64_t original) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr) return;
    atomic_done(*qp, psn, original);
    list(*qp);
}

void RcTransport::on_persisted(Time now, Qpn number, Psn psn, RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr) return;
    Decision d = decision(now, actions);
    persisted(*qp, psn, d);
    list(*qp);
}

void RcTransport::on_cq_full(Time now, Cqn cq, RcActions& actions) {
    Decision d = decision(now, actions);
    actions.event({EventKind::cq_error, {}, cq});
    qps_.for_each([&](Qp& qp) {
        if (qp.state == QpState::reset || (qp.init.send_cq != cq && qp.init.receive_cq != cq)) return;
        if (qp.state != QpState::error) actions.event({EventKind::qp_fatal, qp.number, {}});
        qp.state = QpState::error;
        qp.responder.answers.clear();
        settle(qp, d);
    });
}

Taken RcTransport::on_packet(Time now, Peer from, const roce::Header& header, RcActions& actions) {
    Qp* const qp = qps_.find(header.to);
    if (qp == nullptr) {
        counts_.add(RcCount::unknown_qp);
        return Taken::yes;
    }
    const ServiceRules& rules = rules_of(qp->init.service);
    if (rules.one_peer && qp->state >= QpState::rtr && qp->attributes.peer != from) {
        counts_.add(RcCount::wrong_peer);
        return Taken::yes;
    }
    Decision d = decision(now, actions);
    if (header.opcode == roce::Opcode::cnp) {
        notified(*qp, d);
        list_deadline(*qp, now);
        return Taken::yes;
    }
    const Taken taken = rules.on_packet(*qp, header, d);
    settle(*qp, d);
    return taken;
}

void RcTransport::on_marked(Time now, Peer from, Qpn to, RcActions& actions) {
    Qp* const qp = qps_.find(to);
    if (qp == nullptr || qp->attributes.peer != from) return;
    Decision d = decision(now, actions);
    marked(*qp, d);
    list(*qp);
}

std::optional<Packet> RcTransport::next_packet(Time now, Lane lane, RcActions& actions) {
    CountedRing<Qpn>& turns = turns_[static_cast<std::size_t>(lane)];
    Decision d = decision(now, actions);
    while (!turns.empty()) {
        Qp* const qp = qps_.find(turns.pop_front());
        if (qp == nullptr) continue;
        qp->listed.at(static_cast<std::size_t>(lane)) = false;
        if (lane == Lane::notification) {
            if (auto cnp = next_notification(*qp, d)) return cnp;
            continue;
        }
        if (!actions.at_hand(qp->number, lane)) continue;
        if (waits_for_pace(*qp, lane, now)) {
            qp->pace.waits = true;
            list_deadline(*qp, now);
            continue;
        }
        const QpState before = qp->state;
        std::optional<Packet> packet =
            lane == Lane::request ? rules_of(qp->init.service).next_request(*qp, d) : next_answer(*qp, d);
        if (packet) sent_at_pace(*qp, *packet, lane, d);
        if (packet || qp->state != before) settle(*qp, d);
        if (packet) return packet;
    }
    return {};
}

void RcTransport::on_sent(Time now, Qpn number, RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr) return;
    Decision d = decision(now, actions);
    packet_sent(*qp, d);
    settle(*qp, d);
}

void RcTransport::on_at_hand(Qpn number) {
    if (Qp* const qp = qps_.find(number)) list(*qp);
}

MemoryUses RcTransport::memory_of(const roce::Header& header) const {
    const Qp* const qp = qps_.find(header.to);
    return qp == nullptr ? MemoryUses{} : rc::memory_of(*qp, header, receive_queue(qp->init.receive_queue));
}

MemoryUses RcTransport::memory_of_next(Qpn number, Lane lane) const {
    const Qp* const qp = qps_.find(number);
    return qp == nullptr ? MemoryUses{} : rc::memory_of_next(*qp, lane);
}

bool RcTransport::counts(RcCount c) const {
    if (is_of_congestion(c)) return config_.congestion->hears_marks();
    if (is_of_limits(c)) return has_limits_;
    if (is_of_persists(c)) return has_persists_;
    if (is_of_processors(c)) return has_processors_;
    return !is_of_unreliable(c) || has_unreliable_;
}

void RcTransport::list(Qp& qp) {
    const Requester& r = qp.requester;
    if (r.queue.current() != nullptr || repeat_is_due(qp)) list(qp, Lane::request);
    if (!qp.responder.answers.empty()) list(qp, Lane::answer);
    if (qp.pace.cnp_due) list(qp, Lane::notification);
}

void RcTransport::list(Qp& qp, Lane lane) {
    const auto number = static_cast<std::size_t>(lane);
    if (std::exchange(qp.listed.at(number), true)) return;
    turns_.at(number).push(qp.number);
}

void RcTransport::flush_sends(Qp& qp, Decision& d) {
    flush_held(qp, d);
    Completion c;
    c.qp = qp.number;
    c.status = Status::wr_flush;
    SendQueue& queue = qp.requester.queue;
    qp.requester.recovery.ack_deadline = kEndOfTime;
    qp.requester.recovery.rnr_until = {};
    c.cq = qp.init.send_cq;
    for (auto n = queue.flush(); n != queue.posted(); ++n) {
        c.index = n;
        d.actions.complete(c);
    }
}

void RcTransport::flush_receives(Qp& qp, Decision& d) {
    forget_asked(qp);
    Completion c;
    c.qp = qp.number;
    c.status = Status::wr_flush;
    c.cq = qp.init.receive_cq;
    c.receive = true;
    const auto flush_receive = [&](const ReceiveWqe& wqe) {
        c.index = wqe.index;
        d.actions.complete(c);
    };
    if (qp.responder.receive) {
        flush_receive(*qp.responder.receive);
        qp.responder.receive.reset();
    }
    ReceiveQueue& receives = d.receives(qp);
    if (receives.shared()) {
        if (std::exchange(qp.flushed, true)) return;
        receives.forget_looks();
        d.actions.event({EventKind::last_wqe_reached, qp.number, {}});
        return;
    }
    bool any = !qp.flushed;  // then there may be some that have not been read
    qp.flushed = true;
    while (const auto wqe = receives.flush_one()) {
        flush_receive(*wqe);
        any = true;
    }
    if (any) receives.ask(d.actions);
}

void RcTransport::settle(Qp& qp, Decision& d) {
    SendQueue& queue = qp.requester.queue;
    if (by_processor(qp)) send_packs(qp, d);
    if (flushes_sends(qp.state)) flush_sends(qp, d);
    if (qp.state == QpState::error) flush_receives(qp, d);
    if (qp.state == QpState::rts || qp.state == QpState::sqd) {
        if (const auto fetch = queue.next_fetch(qp.number, config_.send_batch)) d.actions.fetch_wqe(*fetch);
    }
    const bool drained = qp.state == QpState::sqd && queue.outstanding() == 0 && !queue.current_begun();
    if (drained && !qp.drained_told) {  // V-Q3
        qp.drained_told = true;
        d.actions.event({EventKind::sq_drained, qp.number, {}});
    }
    list_deadline(qp, d.now);
    list(qp);
}

void RcTransport::list_deadline(Qp& qp, Time now) {
    const Time deadline = deadline_of(qp, now);
    if (deadline >= qp.listed_deadline) return;
    qp.listed_deadline = deadline;
    deadlines_.add({deadline, qp.number});
}

Time RcTransport::deadline_of(const Qp& qp, Time now) {
    const Recovery& r = qp.requester.recovery;
    Time earliest = std::min({r.ack_deadline, repeat_at(qp), qp.receive_look.again});
    if (now < r.rnr_until) earliest = std::min(earliest, r.rnr_until);
    if (qp.pace.waits && now < qp.pace.pacer.next_packet()) earliest = std::min(earliest, qp.pace.pacer.next_packet());
    if (qp.pace.control) earliest = std::min(earliest, qp.pace.control->next_deadline());
    return earliest;
}

bool RcTransport::has_to_send() const {
    bool has = false;
    qps_.for_each(
        [&](const Qp& qp) { has = has || (qp.state == QpState::rts && qp.requester.queue.current() != nullptr); });
    return has;
}

Time RcTransport::next_deadline() {
    while (const auto entry = deadlines_.earliest()) {
        Qp* const qp = qps_.find(entry->qp);
        if (qp != nullptr && qp->listed_deadline == entry->at) {
            // Has the timer moved to a later time since?
            const Time deadline = deadline_of(*qp, entry->at - kPicosecond);
            if (deadline == entry->at) return deadline;
            qp->listed_deadline = deadline;
            if (deadline != kEndOfTime) deadlines_.add({deadline, qp->number});
        }
        deadlines_.pop();
    }
    return kEndOfTime;
}

void RcTransport::on_timer(Time now, RcActions& actions) {
    Decision d = decision(now, actions);
    while (next_deadline() <= now && next_deadline() != kEndOfTime) {
        Qp& qp = *qps_.find(deadlines_.earliest()->qp);
        deadlines_.pop();
        qp.listed_deadline = kEndOfTime;
        if (qp.requester.recovery.ack_deadline <= now) ack_timer_expired(qp, d);
        if (repeat_at(qp) <= now) repeat_expired(qp, d);
        if (qp.receive_look.again <= now) look_again(qp, d);
        if (qp.pace.pacer.next_packet() <= now) qp.pace.waits = false;
        if (qp.pace.control && qp.pace.control->next_deadline() <= now) qp.pace.control->on_timer(now);
        settle(qp, d);  // V-R10, V-D5: after an RNR NAK's or the pace's time the QP takes its turn again
    }
}

ModifyError RcTransport::modify_qp(Time now, Qpn number, QpState to, AttributeMask mask, const QpAttributes& values,
                                   RcActions& actions) {
    Qp* const qp = qps_.find(number);
    if (qp == nullptr) return ModifyError::unknown_qp;
    const ModifyError error = check_modify(qp->init.service, qp->state, to, mask, values);
    if (error != ModifyError::none) return error;
    // Longer packets would not leave the port, or come through no other one: the path's MTU is at most the port's.
    if (mask.includes(attribute::kPathMtu) && values.path_mtu > config_.port_mtu) return ModifyError::bad_value;
    Decision d = decision(now, actions);
    set_attributes(qp->attributes, values, mask);
    const QpState from = qp->state;
    qp->state = to;
    if (to == QpState::reset) {
        // As made; the lists at the port may still name it.
        Qp fresh(qp->number, qp->init);
        fresh.pace = new_pace(config_, qp->init.service);
        fresh.listed = qp->listed;
        fresh.listed_deadline = qp->listed_deadline;
        fresh.leaving = qp->leaving;
        ReceiveQueue& receives = d.receives(*qp);
        receives.shared() ? receives.forget_looks() : receives.clear();
        *qp = std::move(fresh);
    } else if (from == QpState::init && to == QpState::rtr) {
        qp->responder.expected = qp->attributes.rq_psn;
        qp->responder.memory = Memory(qp->attributes.max_dest_rd_atomic);
        if (qp->init.service == Service::datagram) qp->attributes.path_mtu = config_.port_mtu;
    } else if (from == QpState::rtr && to == QpState::rts) {
        qp->requester.queue.start_at(qp->attributes.sq_psn);
        qp->requester.recovery.tries_left = qp->attributes.retry_cnt;
        qp->requester.recovery.rnr_tries_left = qp->attributes.rnr_retry;
    } else if (to == QpState::sqd && from != QpState::sqd) {
        qp->drained_told = false;
    } else if (to == QpState::error && from != QpState::error) {
        qp->responder.answers.clear();
    }
    settle(*qp, d);
    return ModifyError::none;
}

}  // namespace rnicsim::rc
