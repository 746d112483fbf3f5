// SPDX-License-Identifier: Apache-2.0
// TransportLogic, the initiator's side: request, choice of the mode, release (PROTOCOL.md sections 3 and 5).
#include "model/rnic/drp/policies/mode_choice.h"
#include "model/rnic/drp/policies/resume_rule.h"
#include "model/rnic/drp/transport_logic.h"

namespace rnicsim {

using enum TransportCount;

void TransportLogic::start(Cycle now, const Command& command, TransportActions& actions) {
    Transfer* const t = table_.allocate();
    if (t == nullptr) {
        note(table_full, key_of(Role::initiator, command));
        note(failed, key_of(Role::initiator, command));
        Event event;
        event.code = EventCode::failed;
        event.status = static_cast<std::uint8_t>(TransferError::table_full);
        event.tid = command.tid;
        event.peer = command.peer;
        actions.notify(event);
        return;
    }
    t->phase = Phase::requesting;
    t->role = Role::initiator;
    t->operation = command.code == CommandCode::rdma_write ? Operation::write : Operation::read;
    t->tid = command.tid;
    t->peer = command.peer;
    t->length = command.length;
    t->segment = config_.segment;
    t->sba = command.sba;
    t->dba = command.dba;
    if (t->sends_data()) {
        t->sender = DataSender(t->frames(), config_);
    } else {
        t->receiver = DataReceiver(config_);
    }
    send_request(now, *t, actions);
}

void TransportLogic::send_request(Cycle now, Transfer& t, TransportActions& actions) {
    ++t.requests;
    note(requests_sent, t.key());
    reply(t, DrpType::req, false, actions);
    arm(t.request_deadline, now + config_.request_timer);
}

void TransportLogic::on_request_ack(Cycle now, const DrpHeader& header, TransportActions& actions) {
    Transfer* const t = table_.find(key_of(Role::initiator, header));
    if (t == nullptr || t->operation != header.operation) {
        note(stale, key_of(Role::initiator, header));
        return;
    }
    if (!header.valid) {
        if (t->established) return;  // older than the valid one
        // PROTOCOL.md 3.23
        t->far_busy = config_.busy_answer && header.indirect;
        if (dynamic()) {
            // PROTOCOL.md 3.3: the request timer keeps running. A read's initiator has no data to send.
            const bool may = t->operation == Operation::write && !t->sending && !t->far_busy;
            if (may && config_.mode_choice->on_refusal()) go_indirect(*t, actions);
        } else {
            arm(t->request_deadline, now + config_.request_timer);  // PROTOCOL.md 3.3: the timer is restarted
        }
        return;
    }
    if (!t->established) {
        t->established = true;
        note(connections, t->key());
        t->request_deadline = kNever;
        if (t->operation == Operation::read) {
            t->phase = Phase::transferring;
        } else if (!t->sending) {
            start_sending(*t, false);
        } else {
            note(request_ack_hidden, t->key());  // recorded, not reported to the upper layer again
            const bool resumes = config_.resume_on_valid_ack && config_.resume_rule->resumes(header.indirect);
            if (resumes && t->sender.resume()) {
                note(resumed, t->key());
                t->retries = 0;
                arm(t->data_deadline, now + data_timer(*t));
            }
        }
        report_request_ack(*t, false, actions);
    }
    if (t->operation == Operation::read) {
        // PROTOCOL.md 5.6: "ready", repeated whenever the responder repeats its REQ_ACK.
        acknowledge(*t, actions);
        if (t->phase == Phase::transferring) arm(t->data_deadline, now + data_timer(*t));
    } else {
        release_when_done(now, *t, actions);
    }
}

void TransportLogic::go_indirect(Transfer& t, TransportActions& actions) {
    note(went_indirect, t.key());
    start_sending(t, true);
    report_request_ack(t, true, actions);
}

/// The upper layer gets one REQ_ACK for each transfer, the real or the simulated one.
void TransportLogic::report_request_ack(Transfer& t, bool simulated, TransportActions& actions) {
    if (t.acknowledged_to_host) return;
    t.acknowledged_to_host = true;
    notify(t, EventCode::request_acknowledged, simulated ? 1 : 0, actions);
}

void TransportLogic::request_expired(Cycle now, Transfer& t, TransportActions& actions) {
    note(request_timeouts, t.key());
    ++t.request_timeouts;
    if (t.requests >= config_.max_requests) {
        close(now, t, TransferError::request_timeout, actions);
        return;
    }
    send_request(now, t, actions);
    if (dynamic() && t.operation == Operation::write && !t.sending && !t.far_busy &&
        config_.mode_choice->on_expiry(t.request_timeouts, config_.indirect_after_timeouts)) {
        go_indirect(t, actions);
    }
}

/// Established and all data through: REL, once no data frame of the transfer can follow it.
void TransportLogic::release_when_done(Cycle now, Transfer& t, TransportActions& actions) {
    if (t.role != Role::initiator || t.phase != Phase::transferring || !t.established) return;
    const bool done = t.sends_data() ? t.sender.all_acknowledged() : t.receiver.expected().n == t.frames();
    if (!done || t.in_transmit_path != 0) return;
    t.phase = Phase::releasing;
    t.sending = false;
    t.retries = 0;
    t.data_deadline = kNever;
    note(releases_sent, t.key());
    reply(t, DrpType::rel, false, actions);
    arm(t.release_deadline, now + config_.release_timer);
}

void TransportLogic::release_expired(Cycle now, Transfer& t, TransportActions& actions) {
    note(release_timeouts, t.key());
    if (++t.retries > config_.max_retransmissions) {
        close(now, t, TransferError::release_timeout, actions);
        return;
    }
    note(releases_sent, t.key());
    reply(t, DrpType::rel, false, actions);
    arm(t.release_deadline, now + config_.release_timer);
}

void TransportLogic::on_release_ack(Cycle now, const DrpHeader& header, TransportActions& actions) {
    Transfer* const t = table_.find(key_of(Role::initiator, header));
    if (t == nullptr || t->phase != Phase::releasing) {
        note(stale, key_of(Role::initiator, header));
        return;
    }
    close(now, *t, TransferError::none, actions);
}

}  // namespace rnicsim
