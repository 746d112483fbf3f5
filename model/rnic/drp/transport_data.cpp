// SPDX-License-Identifier: Apache-2.0
// TransportLogic, the data phase of either role: placing, buffering, acknowledging, retransmitting (PROTOCOL.md
// sections 4 and 6).
#include "model/rnic/drp/policies/acknowledgement.h"
#include "model/rnic/drp/policies/buffer_admission.h"
#include "model/rnic/drp/policies/data_timer_rule.h"
#include "model/rnic/drp/transport_logic.h"

#include <algorithm>

namespace rnicsim {

using enum TransportCount;

namespace {

/// PROTOCOL.md 3.12: a frame may touch only the region that was registered for its transfer.
bool inside_region(const Transfer& t, const DrpHeader& header) {
    const Sn sn{header.sn};
    return sn.n < t.frames() && header.len == t.payload_bytes(sn) && header.sba == t.sba && header.dba == t.dba;
}

/// Early data of a transfer of unknown length: whole segments of one region, and at most one shorter frame behind all
/// others. `t`: what has been received of it so far, or nullptr.
bool fits_early_data(const Transfer* t, const DrpHeader& header, std::uint32_t segment) {
    if (header.len > segment) return false;
    if (t == nullptr) return true;
    const std::uint64_t start = std::uint64_t{header.sn} * segment;
    if (header.dba != t->dba) return false;
    if (header.len == segment) return !t->early_short || start + segment < t->early_end;
    return t->early_short ? start + header.len == t->early_end : start >= t->early_end;
}

}  // namespace

/// Data may move from here on; the data timer starts with the first frame. An indirect initiator keeps asking.
void TransportLogic::start_sending(Transfer& t, bool indirect) {
    t.sending = true;
    t.indirect = indirect;
    if (t.role == Role::initiator) t.phase = Phase::transferring;
    if (t.role == Role::responder || !indirect) t.request_deadline = kNever;
}

/// Data of a write at its responder, data of a read at its initiator.
void TransportLogic::on_data(Cycle now, const DrpHeader& header, TransportActions& actions) {
    const bool write = header.operation == Operation::write;
    const Role role = write ? Role::responder : Role::initiator;
    Transfer* const t = table_.find(key_of(role, header));
    if (t != nullptr && (t->operation != header.operation || (t->phase == Phase::releasing))) {
        note(stale, key_of(role, header));
        return;
    }
    if (!write) {
        if (t == nullptr) {
            note(stale, key_of(role, header));
            return;
        }
        if (!inside_region(*t, header)) {
            note(out_of_region, key_of(role, header));
            return;
        }
        t->indirect = header.indirect;
        if (!t->established) {  // PROTOCOL.md 5.8: such data is the missing REQ_ACK
            t->established = true;
            note(connections, t->key());
            t->request_deadline = kNever;
            t->phase = Phase::transferring;
            report_request_ack(*t, true, actions);
        }
        accept_data(*t, header, actions);
        t->retries = 0;
        arm(t->data_deadline, now + data_timer(*t));
        release_when_done(now, *t, actions);
        return;
    }
    if (t != nullptr) arm(t->idle_deadline, now + config_.idle_timeout);
    if (t != nullptr && t->established) {  // PROTOCOL.md 6.1
        accept_data(*t, header, actions);
    } else if (header.indirect) {  // PROTOCOL.md 6.2
        keep_indirect(now, t, header, actions);
    } else {
        note(t == nullptr ? stale : no_region,
             key_of(role, header));  // direct data without a registered region is dropped
    }
}

/// PROTOCOL.md 6.1: one DMA for each frame, inside the registered region or not at all.
void TransportLogic::accept_data(Transfer& t, const DrpHeader& header, TransportActions& actions) {
    const Sn sn{header.sn};
    if (!inside_region(t, header)) {
        note(out_of_region, t.key());
        return;
    }
    const bool in_order = sn == t.receiver.expected() && !t.receiver.has_holes();
    const Arrival arrival = t.receiver.classify(sn);
    switch (arrival) {
        case Arrival::fresh:
            t.receiver.accept(sn);
            note(placed_direct, t.key());
            actions.place(t.local_base() + std::uint64_t{sn.n} * t.segment, header.len);
            break;
        case Arrival::duplicate:
        case Arrival::unwanted: note(duplicates, t.key()); break;
        case Arrival::beyond: note(out_of_window, t.key()); return;
    }
    acknowledge_data(t, in_order, t.receiver.expected().n == t.frames(), actions);
}

/// A data frame has been accepted, or is a duplicate.
void TransportLogic::acknowledge_data(Transfer& t, bool in_order, bool last, TransportActions& actions) {
    ++t.owed;
    if (config_.acknowledgement->at_once({in_order, last, t.owed})) acknowledge(t, actions);
}

/// PROTOCOL.md 6.2 and 6.4: into the indirect buffer; what does not fit is dropped and not acknowledged.
void TransportLogic::keep_indirect(Cycle now, Transfer* t, const DrpHeader& header, TransportActions& actions) {
    const Sn sn{header.sn};
    if (!dynamic() || (t == nullptr && is_over(key_of(Role::responder, header)))) {
        note(t == nullptr ? stale : no_region, key_of(Role::responder, header));
        return;
    }
    const bool known = t != nullptr && t->length != 0;
    const bool fits = known ? sn.n < t->frames() && header.len == t->payload_bytes(sn) && header.dba == t->dba
                            : fits_early_data(t, header, config_.segment);
    if (!fits) {
        note(out_of_region, key_of(Role::responder, header));
        return;
    }
    const DataReceiver receiver = t != nullptr ? t->receiver : DataReceiver(config_);
    const Arrival arrival = receiver.classify(sn);
    const bool in_order = sn == receiver.expected() && !receiver.has_holes();
    if (arrival == Arrival::beyond) {
        note(out_of_window, key_of(Role::responder, header));
        return;
    }
    if (arrival == Arrival::fresh) {
        const EarlyFrame frame{sn - receiver.expected(), actions.buffered_of(header.peer), config_.buffer_quota};
        if (actions.buffer_full() || !config_.buffer_admission->admits(frame)) {
            note(buffer_full, key_of(Role::responder, header));
            if (t != nullptr) t->refused_data = true;
            return;
        }
        if (t == nullptr) {
            // The request was lost: an entry without one keeps the state for acknowledgements (PROTOCOL.md 6.2).
            t = table_.allocate();
            if (t == nullptr) {
                note(table_full, key_of(Role::responder, header));
                return;
            }
            t->phase = Phase::awaiting_request;
            t->role = Role::responder;
            t->operation = header.operation;
            t->tid = header.tid;
            t->peer = header.peer;
            t->segment = config_.segment;
            t->sba = header.sba;
            t->dba = header.dba;
            t->receiver = DataReceiver(config_);
            arm(t->idle_deadline, now + config_.idle_timeout);
        }
        t->receiver.accept(sn);
        const std::uint32_t end = sn.n * config_.segment + header.len;
        t->early_end = std::max(t->early_end, end);
        t->early_short = t->early_short || header.len < config_.segment;
        note(kept_indirect, key_of(Role::responder, header));
        actions.keep(t->key(), sn, header.dba + std::uint64_t{sn.n} * config_.segment, header.len);
    } else {
        note(duplicates, key_of(Role::responder, header));
        if (t == nullptr) return;  // go-back-N, unknown transfer: the first frame will come again
    }
    // Before the request has come the end of the transfer is unknown, except that a short frame is the last.
    const bool last = known ? t->receiver.expected().n == t->frames() : t->early_short;
    acknowledge_data(*t, in_order, last, actions);
}

/// Acknowledgement of a write at its initiator, of a read (also "ready") at its responder.
void TransportLogic::on_ack(Cycle now, const DrpHeader& header, TransportActions& actions) {
    const bool write = header.operation == Operation::write;
    const Role role = write ? Role::initiator : Role::responder;
    Transfer* const t = table_.find(key_of(role, header));
    if (t == nullptr || t->operation != header.operation || (write ? !t->sending : !t->established)) {
        note(stale, key_of(role, header));
        return;
    }
    if (t->role == Role::responder) {
        arm(t->idle_deadline, now + config_.idle_timeout);
        if (!t->sending) {  // "ready"
            start_sending(*t, false);
            return;
        }
    }
    switch (t->sender.on_ack(Sn{header.ackn})) {
        case AckResult::progress:
            t->retries = 0;
            if (t->timed_since != kNever && t->sender.acknowledged(t->timed)) {
                measured(round_trips(t->peer), now - t->timed_since);
                t->timed_since = kNever;
            }
            if (t->sender.outstanding()) {
                arm(t->data_deadline, now + data_timer(*t));
            } else {
                t->data_deadline = kNever;
            }
            break;
        case AckResult::loss: note(fast_retransmissions, t->key()); break;
        case AckResult::duplicate:
        case AckResult::ignored: break;
    }
    release_when_done(now, *t, actions);
}

/// One frame at a time, and none that was sent twice: whose ACK it is would be unknown (Karn; RFC 6298, 3).
void TransportLogic::time_round_trip(Cycle now, Transfer& t, Sn sn, bool again) {
    if (!config_.data_timer_rule->measures()) return;
    if (again) {
        if (sn <= t.timed) t.timed_since = kNever;
    } else if (t.timed_since == kNever) {
        t.timed = sn;
        t.timed_since = now;
    }
}

Cycle TransportLogic::data_timer(const Transfer& t) const {
    const bool known = raw(t.peer) < round_trips_.size();
    return config_.data_timer_rule->length(known ? round_trips_[raw(t.peer)] : RoundTrips(), config_.data_timer);
}

RoundTrips& TransportLogic::round_trips(Peer peer) {
    if (raw(peer) >= round_trips_.size()) round_trips_.resize(std::size_t{raw(peer)} + 1);
    return round_trips_[raw(peer)];
}

void TransportLogic::data_expired(Cycle now, Transfer& t, TransportActions& actions) {
    note(data_timeouts, t.key());
    // Before the connection is established max_requests limits the tries, not max_retransmissions.
    if (t.established && ++t.retries > config_.max_retransmissions) {
        close(now, t, TransferError::data_timeout, actions);
        return;
    }
    if (t.sends_data()) {
        if (!t.sender.outstanding()) return;
        t.sender.on_timeout();
        t.timed_since = kNever;
        if (config_.data_timer_rule->measures()) ++round_trips(t.peer).backoff;
    } else {
        acknowledge(t, actions);  // read initiator: repeats its last ACK, "ready" included
    }
    arm(t.data_deadline, now + data_timer(t));
}

}  // namespace rnicsim
