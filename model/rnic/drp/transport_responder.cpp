// SPDX-License-Identifier: Apache-2.0
// TransportLogic, the responder's side: request, verdict of the host, release (PROTOCOL.md sections 3, 5 and 6).
#include "model/rnic/drp/policies/mode_choice.h"
#include "model/rnic/drp/transport_logic.h"

#include <algorithm>

namespace rnicsim {

using enum TransportCount;

namespace {

/// Does early data agree with its request: same region, and not beyond its end?
bool early_data_fits(const Transfer& t, const DrpHeader& request) {
    return t.dba == request.dba && (t.early_short ? t.early_end == request.len : t.early_end <= request.len);
}

}  // namespace

void TransportLogic::on_request(Cycle now, const DrpHeader& header, TransportActions& actions) {
    if (header.sn != config_.segment) {  // PROTOCOL.md 2.8: the segment size must be equal at both ends
        note(segment_mismatch, key_of(Role::responder, header));
        note(invalid_request_acks_sent, key_of(Role::responder, header));
        actions.send({.type = DrpType::req_ack,
                      .operation = header.operation,
                      .tid = header.tid,
                      .len = header.len,
                      .sn = config_.segment,
                      .sba = header.sba,
                      .dba = header.dba,
                      .peer = header.peer});
        return;
    }
    Transfer* t = table_.find(key_of(Role::responder, header));
    if (t == nullptr) {
        if (is_over(key_of(Role::responder, header))) {
            note(stale, key_of(Role::responder, header));
            return;
        }
        t = table_.allocate();
        if (t == nullptr) {
            note(table_full, key_of(Role::responder, header));
            if (config_.busy_answer) answer_busy(header, actions);
            return;
        }
        t->role = Role::responder;
        t->phase = Phase::awaiting_request;
        t->operation = header.operation;
        t->tid = header.tid;
        t->peer = header.peer;
        t->segment = config_.segment;
        t->receiver = DataReceiver(config_);
    }
    if (t->operation != header.operation || (t->length != 0 && (t->length != header.len || t->dba != header.dba))) {
        note(stale, key_of(Role::responder, header));  // of an earlier transfer with this TID
        return;
    }
    arm(t->idle_deadline, now + config_.idle_timeout);
    switch (t->phase) {
        case Phase::awaiting_request:
        case Phase::refused:
            if (t->early_end != 0 && t->length == 0 && !early_data_fits(*t, header)) {
                note(out_of_region, t->key());
                t->early_end = 0;
                t->receiver = DataReceiver(config_);  // dropped data has to come again
                actions.drop(t->key());
            }
            t->phase = Phase::registering;
            t->length = header.len;
            t->sba = header.sba;
            t->dba = header.dba;
            if (t->sends_data()) t->sender = DataSender(t->frames(), config_);
            if (t->generation == Generation{}) t->generation = next_generation();
            notify(*t, EventCode::register_region, 0, actions);
            break;
        case Phase::established:  // PROTOCOL.md 3.6: answered without asking the host
            note(request_acks_sent, t->key());
            reply(*t, DrpType::req_ack, true, actions);
            break;
        default: break;  // registering: the host's verdict is pending
    }
}

/// PROTOCOL.md 3.23: an invalid REQ_ACK with MODE.
void TransportLogic::answer_busy(const DrpHeader& request, TransportActions& actions) {
    note(invalid_request_acks_sent, key_of(Role::responder, request));
    actions.send({.type = DrpType::req_ack,
                  .operation = request.operation,
                  .indirect = true,
                  .tid = request.tid,
                  .len = request.len,
                  .sn = config_.segment,
                  .sba = request.sba,
                  .dba = request.dba,
                  .peer = request.peer});
}

void TransportLogic::on_verdict(Cycle now, const Command& command, TransportActions& actions) {
    const bool valid = command.code == CommandCode::registered;
    Transfer* const t = table_.find(key_of(Role::responder, command));
    const bool asked = command.generation != Generation{};
    if (t == nullptr || !asked || t->generation != command.generation) {
        // Given up while the host was busy: it has got `released`, or gets it when the last frame has left.
        note(stale, key_of(Role::responder, command));
        return;
    }
    if (valid) {
        issue_valid(now, *t, actions);
    } else if (t->phase == Phase::registering) {
        t->phase = Phase::refused;
        note(invalid_request_acks_sent, t->key());
        reply(*t, DrpType::req_ack, false, actions);
    }
}

void TransportLogic::issue_valid(Cycle now, Transfer& t, TransportActions& actions) {
    note(request_acks_sent, t.key());
    reply(t, DrpType::req_ack, true, actions);
    if (t.established) return;
    t.established = true;
    note(connections, t.key());
    t.phase = Phase::established;
    arm(t.idle_deadline, now + config_.idle_timeout);
    if (t.operation == Operation::write) {
        if (t.early_end != 0) {  // PROTOCOL.md 6.3
            note(bulk_drains, t.key());
            actions.drain(t.key());
        }
    } else if (dynamic()) {
        t.requests = 1;
        arm(t.request_deadline, now + config_.request_timer);  // PROTOCOL.md 5.7: waits for "ready"
    }
}

/// Dynamic read, responder, no "ready" yet: at first the REQ_ACK is sent again, from expiry
/// `indirect_after_timeouts` on data instead.
void TransportLogic::request_ack_expired(Cycle now, Transfer& t, TransportActions& actions) {
    note(request_timeouts, t.key());
    if (t.sending) return;
    ++t.request_timeouts;
    if (config_.mode_choice->on_expiry(t.request_timeouts, config_.indirect_after_timeouts)) {
        note(went_indirect, t.key());
        start_sending(t, true);
        return;
    }
    if (t.request_timeouts >= config_.max_requests) return;  // PROTOCOL.md 5.7: now REQ or "ready"
    note(request_acks_sent, t.key());
    reply(t, DrpType::req_ack, true, actions);
    arm(t.request_deadline, now + config_.request_timer);
}

void TransportLogic::on_release(Cycle now, const DrpHeader& header, TransportActions& actions) {
    Transfer* const t = table_.find(key_of(Role::responder, header));
    if (!may_answer(t, header)) {
        note(stale, key_of(Role::responder, header));
        return;
    }
    note(release_acks_sent, key_of(Role::responder, header));
    DrpHeader answer{.type = DrpType::rel_ack, .operation = header.operation, .tid = header.tid};
    answer.sba = header.sba;
    answer.dba = header.dba;
    answer.peer = header.peer;
    actions.send(answer);
    if (t == nullptr) {  // once more: the first answer may have been lost (PROTOCOL.md 3.16)
        note(stale, key_of(Role::responder, header));
        return;
    }
    if (released_.size() < config_.table_entries) {
        released_.push_back(t->key());
    } else {
        released_[released_next_] = t->key();
        released_next_ = (released_next_ + 1) % released_.size();
    }
    close(now, *t, TransferError::none, actions);
}

/// PROTOCOL.md 3.15: an answer to a write's REL says that its data is in this host's memory. Data that was acknowledged
/// in a forgotten use of the TID does not count, and an unknown transfer is not answered: its initiator may fail, but
/// must never complete without its data. For a read the initiator itself has the data.
bool TransportLogic::may_answer(const Transfer* t, const DrpHeader& release) const {
    const bool write = release.operation == Operation::write;
    const TransferKey of = key_of(Role::responder, release);
    if (t == nullptr) return write ? released_lately(of) : !table_.gave_up(of);
    return t->operation == release.operation && t->established && (!write || t->receiver.expected().n == t->frames());
}

/// Gives up an entry and what the indirect buffer holds for it.
void TransportLogic::give_up(Cycle now, Transfer& t, TransportActions& actions) {
    if (t.early_end != 0 && !t.established) actions.drop(t.key());
    if (t.phase == Phase::awaiting_request) {
        remember_given_up(now, t);  // the host does not know of it
        return;
    }
    close(now, t, t.established ? TransferError::data_timeout : TransferError::request_timeout, actions);
}

/// Data that was acknowledged is lost with the entry. So for another idle timeout its TID starts no new transfer, and
/// its REL is not answered.
void TransportLogic::remember_given_up(Cycle now, Transfer& t) {
    table_.give_up(t);
    arm(t.idle_deadline, now + config_.idle_timeout);
}

bool TransportLogic::is_over(const TransferKey& key) const {
    return table_.closing(key) || table_.gave_up(key) || released_lately(key);
}

bool TransportLogic::released_lately(const TransferKey& key) const {
    return std::ranges::find(released_, key) != released_.end();
}

/// Never 0. The same one comes again after 65,535 others: no verdict is that late.
Generation TransportLogic::next_generation() {
    const auto next = static_cast<std::uint16_t>(raw(generation_) + 1);
    generation_ = Generation{next == 0 ? std::uint16_t{1} : next};
    return generation_;
}

}  // namespace rnicsim
