// SPDX-License-Identifier: Apache-2.0
#include "model/rnic/drp/transport_logic.h"

#include "model/rnic/drp/policies/resume_rule.h"

#include <algorithm>
#include <utility>

namespace rnicsim {

using enum TransportCount;

TransportLogic::TransportLogic(const TransportConfig& config) : config_(config), table_(config.table_entries) {
    released_.reserve(config.table_entries);
}

void TransportLogic::on_command(Cycle now, const Command& command, TransportActions& actions) {
    switch (command.code) {
        case CommandCode::rdma_write:
        case CommandCode::rdma_read: start(now, command, actions); break;
        case CommandCode::registered:
        case CommandCode::not_registered: on_verdict(now, command, actions); break;
        case CommandCode::send_frame:  // handled by the host interface
        case CommandCode::none: break;
    }
    report();
}

void TransportLogic::on_frame(Cycle now, const DrpHeader& header, TransportActions& actions) {
    switch (header.type) {
        case DrpType::req: on_request(now, header, actions); break;
        case DrpType::req_ack: on_request_ack(now, header, actions); break;
        case DrpType::data: header.is_ack() ? on_ack(now, header, actions) : on_data(now, header, actions); break;
        case DrpType::rel: on_release(now, header, actions); break;
        case DrpType::rel_ack: on_release_ack(now, header, actions); break;
    }
    report();
}

void TransportLogic::on_timer(Cycle now, ConnectionTable::Index entry, TransportActions& actions) {
    Transfer& t = table_[entry];
    const auto expired = [now](Cycle& deadline) {
        if (deadline > now) return false;
        deadline = kNever;
        return true;
    };
    // The idle timer first: another one that is shorter than a decision must not starve it.
    if (expired(t.idle_deadline)) {
        if (t.phase == Phase::given_up) {
            table_.release(t);
        } else {
            note(idle_timeouts, t.key());
            give_up(now, t, actions);
        }
    } else if (expired(t.request_deadline)) {
        t.role == Role::initiator ? request_expired(now, t, actions) : request_ack_expired(now, t, actions);
    } else if (expired(t.data_deadline)) {
        data_expired(now, t, actions);
    } else if (expired(t.release_deadline)) {
        release_expired(now, t, actions);
    }
    report();
}

void TransportLogic::refresh_deadline() {
    next_deadline_ = kNever;
    for (const ConnectionTable::Index entry : table_.active()) {
        next_deadline_ = std::min(next_deadline_, table_[entry].earliest_deadline());
    }
}

TransportLogic::Expiry TransportLogic::next_expiry(Cycle from, ConnectionTable::Index position) const {
    Expiry first;
    for (const ConnectionTable::Index entry : table_.active()) {
        const Cycle deadline = table_[entry].earliest_deadline();
        first.add(entry, scanned(from, position, config_.table_entries, entry, deadline));
    }
    return first;
}

void TransportLogic::on_transmitted(Cycle now, ConnectionTable::Index entry, TransportActions& actions) {
    Transfer& t = table_[entry];
    --t.in_transmit_path;
    if (t.in_transmit_path != 0) return;
    if (t.phase == Phase::closing) {
        finish(now, t, actions);
    } else {
        release_when_done(now, t, actions);
    }
    report();
}

bool TransportLogic::has_data(const Transfer& t) {
    return t.sending && t.phase != Phase::closing && t.sender.has_next();
}

bool TransportLogic::has_data() const {
    return std::ranges::any_of(table_.active(), [this](ConnectionTable::Index i) { return has_data(table_[i]); });
}

std::optional<DataJob> TransportLogic::next_data(Cycle now) {
    const std::vector<ConnectionTable::Index>& active = table_.active();
    const std::ptrdiff_t first = std::ranges::upper_bound(active, turn_) - active.begin();
    for (std::size_t k = 0; k < active.size(); ++k) {
        const ConnectionTable::Index entry = active[(static_cast<std::size_t>(first) + k) % active.size()];
        Transfer& t = table_[entry];
        if (!has_data(t)) continue;
        turn_ = entry;
        const Sn fresh = t.sender.next_new();
        const Sn sn = t.sender.next();
        if (sn < fresh) note(retransmissions, t.key());
        note(data_sent, t.key());
        report();
        ++t.in_transmit_path;
        time_round_trip(now, t, sn, sn < fresh);
        if (t.data_deadline == kNever) arm(t.data_deadline, now + data_timer(t));
        DataJob job;
        job.entry = entry;
        job.address = t.local_base() + std::uint64_t{sn.n} * t.segment;
        job.header = {.type = DrpType::data,
                      .operation = t.operation,
                      .indirect = t.indirect,
                      .tid = t.tid,
                      .len = t.payload_bytes(sn),
                      .sn = sn.n,
                      .sba = t.sba,
                      .dba = t.dba,
                      .peer = t.peer};
        return job;
    }
    return std::nullopt;
}

void TransportLogic::reply(const Transfer& t, DrpType type, bool valid, TransportActions& actions) {
    const bool about_request = type == DrpType::req || type == DrpType::req_ack;
    const bool tells = type == DrpType::req_ack && valid && t.refused_data && config_.resume_rule->tells();
    actions.send({.type = type,
                  .operation = t.operation,
                  .indirect = t.indirect || tells,
                  .valid = valid,
                  .tid = t.tid,
                  .len = about_request ? t.length : 0,
                  .sn = about_request ? t.segment : 0,
                  .sba = t.sba,
                  .dba = t.dba,
                  .peer = t.peer});
}

void TransportLogic::acknowledge(Transfer& t, TransportActions& actions) {
    t.owed = 0;
    note(acks_sent, t.key());
    actions.send({.type = DrpType::data,
                  .operation = t.operation,
                  .indirect = t.indirect,
                  .tid = t.tid,
                  .ackn = t.receiver.expected().n,
                  .sba = t.sba,
                  .dba = t.dba,
                  .peer = t.peer});
}

/// Ends a transfer: at once, or when its last data frame has left the transmit path.
void TransportLogic::close(Cycle now, Transfer& t, TransferError error, TransportActions& actions) {
    t.phase = Phase::closing;
    t.error = error;
    t.request_deadline = t.data_deadline = t.release_deadline = t.idle_deadline = kNever;
    if (t.in_transmit_path == 0) finish(now, t, actions);
}

void TransportLogic::finish(Cycle now, Transfer& t, TransportActions& actions) {
    const bool failed_here = t.error != TransferError::none;
    note(failed_here ? failed : completed, t.key());
    if (t.role == Role::initiator) {
        notify(t, failed_here ? EventCode::failed : EventCode::completed, static_cast<std::uint8_t>(t.error), actions);
    } else {
        notify(t, EventCode::released, static_cast<std::uint8_t>(t.error), actions);
        if (failed_here) {
            remember_given_up(now, t);
            return;
        }
    }
    table_.release(t);
}

void TransportLogic::notify(const Transfer& t, EventCode code, std::uint8_t status, TransportActions& actions) const {
    Event event;
    event.code = code;
    event.status = status;
    event.tid = t.tid;
    event.peer = t.peer;
    event.length = t.length;
    event.dba = t.dba;
    event.read = t.operation == Operation::read ? 1 : 0;
    event.indirect = t.indirect ? 1 : 0;
    event.generation = t.generation;
    actions.notify(event);
}

void TransportLogic::note(TransportCount c, const TransferKey& of) {
    ++counts_[static_cast<std::size_t>(c)];
    noted_ |= std::uint64_t{1} << static_cast<unsigned>(c);
    noted_of_ = of;
}

/// Reports the counts of this decision to the observer; hardware would raise them all in one cycle.
void TransportLogic::report() {
    const std::uint64_t noted = std::exchange(noted_, 0);
    if (observer_ == nullptr) return;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if ((noted >> i & 1U) != 0) observer_->noted(static_cast<TransportCount>(i), noted_of_);
    }
}

void TransportLogic::arm(Cycle& deadline, Cycle at) {
    deadline = at;
    next_deadline_ = std::min(next_deadline_, at);
}

std::vector<std::string> TransportLogic::waiting(Cycle now) const {
    std::vector<std::string> lines;
    for (const ConnectionTable::Index i : table_.active()) {
        const Transfer& t = table_[i];
        if (t.phase == Phase::given_up) continue;
        std::string line = std::string(t.role == Role::initiator ? "initiator" : "responder") + " of " +
                           (t.operation == Operation::write ? "write" : "read") + " tid " + std::to_string(raw(t.tid)) +
                           ": " + phase_name(t.phase) + (t.indirect ? ", indirect" : "") +
                           (t.established ? ", established" : ", no valid REQ_ACK");
        if (t.sends_data()) {
            line += ", acknowledged " + std::to_string(t.sender.oldest_unacknowledged().n) + " of " +
                    std::to_string(t.sender.frames()) + " frames";
        } else {
            line += ", received up to SN " + std::to_string(t.receiver.expected().n);
        }
        const Cycle deadline = t.earliest_deadline();
        line += deadline == kNever ? ", no timer runs"
                                   : ", next timer in " + std::to_string((deadline - now).n) + " cycles";
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace rnicsim
