// SPDX-License-Identifier: Apache-2.0
// What must hold between reliable ends (VERBS.md 8), as far as it is not said at once (card_state.cpp).
#include "testbench/explore/rc/reliable_world.h"

#include <algorithm>

namespace rnicsim::rc {

void ReliableWorld::judge_packet(std::uint8_t from, Lane lane, const Packet& packet) {
    const roce::Header& h = packet.header;
    if (cards_[card_of(from)].gone && !packet.from.empty()) broken_ = "V-I1: read from a region that is gone";
    if (lane == Lane::request) {
        const SendQueue& queue = qp(from).requester.queue;
        // What is missing of a READ may lie beyond.
        const bool read = h.opcode == roce::Opcode::read_request;
        const std::int32_t place = ahead(read ? queue.entry_of(h.psn).first : h.psn, queue.oldest());
        // With go_back_0 nothing of a message that begins anew is acknowledged any more.
        const bool whole = workload_->retransmission->repeats_message();
        if (!whole && place >= static_cast<std::int32_t>(workload_->window)) broken_ = "V-I9: beyond the window";
        return;
    }
    EndState& who = end(from);
    if (h.opcode == roce::Opcode::selective_nak) {
        if (std::ranges::find(who.told, h.arrived) != who.told.end()) broken_ = "V-I9: told twice of one packet";
        who.told.push_back(h.arrived);
    } else if (h.opcode == roce::Opcode::ack && h.aeth.kind == roce::AckKind::nak &&
               h.aeth.value == static_cast<std::uint8_t>(roce::NakCode::psn_sequence)) {
        // With go_back_0 a NAK may leave when the message has begun anew already, and lost a packet anew.
        if (who.open_nak == h.psn && !workload_->retransmission->repeats_message())
            broken_ = "V-I9: two NAKs for a gap";
        who.open_nak = h.psn;
    }
}

/// Its PSN says of which message and packet an answer is.
Payload ReliableWorld::answered_by(std::uint8_t requester, Psn psn) const {
    const std::vector<Verb>& messages = messages_of(requester);
    std::uint32_t place = distance(kFirstExplored, psn);
    std::uint8_t message = 0;
    for (; message + 1U < messages.size(); ++message) {
        const std::uint32_t packets = packets_of(messages[message]);
        if (place < packets) break;
        place -= packets;
    }
    return {requester, message, static_cast<std::uint8_t>(place)};
}

void ReliableWorld::judge_answer(std::uint8_t to, const Flight& flight) {
    const Payload payload = answered_by(requester_of(to), flight.header.psn);
    cards_[card_of(to)].payload = payload;
    const std::uint64_t address = address_of(*workload_, payload.requester, payload.message);
    if (flight.read_at != 0 && flight.read_at != address + payload.packet * std::uint64_t{kExploredMtu})
        broken_ = "V-R8: an answer from another place";
}

/// Has the packet in hand taken a receive WQE?
void ReliableWorld::judge_receive(std::uint8_t to, std::optional<std::uint32_t> held_before,
                                  std::size_t writes_before) {
    CardState& card = cards_[card_of(to)];
    const auto& held = qp(to).responder.receive;
    std::optional<std::uint32_t> index;
    if (held && held_before != held->index) index = held->index;
    for (std::size_t i = writes_before; i < card.writes.size(); ++i) {
        const CardState::Write& w = card.writes[i];
        const bool flushed = w.cqe.status == Status::wr_flush;
        if (w.is_cqe && w.cqe.receive && !flushed && end_at(card.number, w.end) == to) index = w.cqe.index;
    }
    if (!index) return;
    const Payload& payload = card.payload;
    if (!takes_receive(messages_of(payload.requester)[payload.message]))
        broken_ = "V-I2: a message takes a receive WQE and needs none";
    std::uint8_t& known = end(to).receive_of.at(payload.message);
    if (known != 0 && known != *index + 1) broken_ = "V-I2: a message takes two receive WQEs";
    if (known != 0) return;
    if (*index != card.receives_taken) broken_ = "V-S5: a receive WQE is taken twice or out of order";
    card.receives_taken = *index + 1;
    known = static_cast<std::uint8_t>(*index + 1);
}

/// Why a message of this end, or to it, has failed.
bool ReliableWorld::has_cause(std::uint8_t e, Status status, std::uint32_t message) const {
    const bool far_is_gone = cards_[card_of(peer_of(e))].gone;
    switch (status) {
        case Status::wr_flush: return in_error(e);
        case Status::retry_exc: return in_error(peer_of(e));  // faults do not use up all tries
        case Status::rnr_retry_exc:
            return workload_->rnr != kEndlessRnrRetry && end(peer_of(e)).rnr_naks.at(message) > workload_->rnr;
        case Status::rem_access:
        case Status::rem_op: return far_is_gone;
        case Status::loc_prot: return cards_[card_of(e)].gone;
        default: return status == Status::success;
    }
}

/// All of a message's payload lasts at the card that it went to.
bool ReliableWorld::lasts(std::uint8_t requester, std::uint8_t message) const {
    const Verb verb = messages_of(requester)[message];
    const std::uint8_t at = peer_of(end_of_requester(requester));
    for (std::uint8_t p = 0; !brings_data(verb) && p < payloads_of(verb); ++p) {
        if (!cards_[card_of(at)].lasts(place_of(at), {requester, message, p})) return false;
    }
    return true;
}

bool ReliableWorld::all_last(std::uint8_t requester, std::uint8_t before) const {
    for (std::uint8_t m = 0; m < before; ++m) {
        if (!lasts(requester, m)) return false;
    }
    return true;
}

/// Has the packet in hand written before what it waits for was flushed?
void ReliableWorld::judge_atomic_write(std::uint8_t to, std::size_t writes_before) {
    const CardState& card = cards_[card_of(to)];
    const Payload& payload = card.payload;
    const std::vector<Verb>& messages = messages_of(payload.requester);
    const auto fresh = card.writes.begin() + static_cast<std::ptrdiff_t>(writes_before);
    if (messages[payload.message] != Verb::atomic_write ||
        std::none_of(fresh, card.writes.end(), [](const CardState::Write& w) { return w.of_request; }))
        return;
    std::uint8_t flush = payload.message;
    while (flush != 0 && messages[flush] != Verb::flush) --flush;
    if (!all_last(payload.requester, flush)) broken_ = "V-I13: an ATOMIC WRITE passes a FLUSH";
}

/// A requester is told that a message has succeeded which stands for what is durable: itself, or all before it.
void ReliableWorld::judge_durable(std::uint8_t e, std::uint8_t message) {
    const std::uint8_t requester = requester_of(e);
    const Verb verb = messages_of(requester)[message];
    if (verb == Verb::write_persist && !lasts(requester, message)) broken_ = "V-I13: told persistent, and it is not";
    if (verb == Verb::flush && !all_last(requester, message))
        broken_ = "V-I13: told flushed, and something before it is not";
}

/// What a responder has persisted never falls, nor passes what it has received, nor what lasts.
void ReliableWorld::judge_persisted(std::uint8_t e) {
    const Responder& r = qp(e).responder;
    std::optional<Psn>& known = end(e).persisted;
    if (r.persisted == known) return;
    const std::uint8_t requester = requester_of(peer_of(e));
    const bool falls = known && (!r.persisted || ahead(*r.persisted, *known) < 0);
    known = r.persisted;
    if (falls || ahead(*known, r.expected) >= 0) {
        broken_ = "V-I14: what is persisted falls, or passes what was received";
    } else if (!lasts(requester, answered_by(requester, *known).message)) {
        broken_ = "V-I14: persisted, and it does not last";
    }
}

void ReliableWorld::judge_decided(std::uint8_t e, const CardState::Write& w) {
    const Completion& c = w.cqe;
    if (c.receive) return judge_decided_receive(e, w);
    EndState& who = end(e);
    if (c.status == Status::success) judge_durable(e, static_cast<std::uint8_t>(c.index));
    if (!asks(e) || c.index != who.ended++) broken_ = "V-I7: a CQE twice or out of order";
    if (!has_cause(e, c.status, c.index)) broken_ = "V-I10: a failure without a cause";
    const bool flushed = c.status == Status::wr_flush;
    if ((who.modified || who.failed) && !flushed) broken_ = "V-Q2: a WQE of a QP in ERR is not flushed";
    who.failed = who.failed || (c.status != Status::success && !flushed);
}

void ReliableWorld::judge_decided_receive(std::uint8_t e, const CardState::Write& w) {
    EndState& who = end(e);
    CardState& card = cards_[card_of(e)];
    const Completion& c = w.cqe;
    const auto taken_by = std::ranges::find(who.receive_of, c.index + 1);
    const bool taken = taken_by != who.receive_of.end();
    if (card.receives().shared()) {
        if (!taken) broken_ = "V-Q2: a receive WQE ends that the QP has not taken";
        if ((card.shared_ended >> c.index & 1U) != 0) broken_ = "V-I7: a CQE twice";
        card.shared_ended |= 1U << c.index;
        ++who.receives_ended;
    } else if (c.index != who.receives_ended++) {
        broken_ = "V-I7: a CQE twice or out of order";
    }
    if (c.status == Status::wr_flush) {
        if (!in_error(e)) broken_ = "V-I10: a failure without a cause";
        return;
    }
    if (who.modified) broken_ = "V-Q2: a WQE of a QP in ERR is not flushed";
    if (!has_cause(e, c.status, w.payload.message)) broken_ = "V-I10: a failure without a cause";
    if (!taken || taken_by - who.receive_of.begin() != w.payload.message)
        broken_ = "V-I2: a message ends the receive WQE of another one";
}

/// All of a message's payload is in memory.
bool ReliableWorld::has_arrived(std::uint8_t requester, std::uint8_t message) const {
    const std::uint8_t asker = end_of_requester(requester);
    const Verb verb = messages_of(requester)[message];
    const auto& memory = (brings_data(verb) ? end(asker).answers : end(peer_of(asker)).requests).in_memory;
    for (std::uint8_t p = 0; p < payloads_of(verb); ++p) {
        const auto copies = std::ranges::count(memory, Payload{requester, message, p});
        // With go_back_0 what a message brought before it began anew is there, too.
        if (copies == 0 || (copies != 1 && !workload_->retransmission->repeats_message())) return false;
    }
    return true;
}

void ReliableWorld::judge_written(std::uint8_t e, const CardState::Write& w) {
    if (w.cqe.status != Status::success) return;
    if (!w.cqe.receive) {
        if (!has_arrived(requester_of(e), static_cast<std::uint8_t>(w.cqe.index)))
            broken_ = "V-I5: completed before all has arrived";
        return;
    }
    const std::uint8_t requester = requester_of(peer_of(e));
    for (std::uint8_t m = 0; m <= w.payload.message; ++m) {
        if (!brings_data(messages_of(requester)[m]) && !has_arrived(requester, m))
            broken_ = "V-I6: a receive before its payload";
    }
}

/// All of a requester's WQEs have succeeded, and nothing of them is left at either end.
bool ReliableWorld::ended_well(std::uint8_t requester) const {
    const std::uint8_t asker = end_of_requester(requester);
    const EndState& answerer = end(peer_of(asker));
    const std::vector<Verb>& messages = messages_of(requester);
    const Responder& r = qp(peer_of(asker)).responder;
    return qp(asker).state == QpState::rts && !end(asker).failed && r.msn.n == messages.size() &&
           r.incoming == Incoming::none && r.early.came.empty() && r.first_answers == 0 && r.persists.empty() &&
           answerer.receive_cqes == takers_of(requester) &&
           answerer.atomics == std::ranges::count_if(messages, is_atomic);
}

/// All that was posted to a QP in ERR has ended; of an SRQ what the QP has taken.
bool ReliableWorld::ended_in_error(std::uint8_t e) const {
    const EndState& who = end(e);
    const CardState& card = cards_[card_of(e)];
    if (!card.receives().shared()) return in_error(e) && who.receive_cqes == card.receives_posted;
    const auto taken = who.receive_of.size() - std::ranges::count(who.receive_of, 0);
    return in_error(e) && who.told_last_wqe && who.receive_cqes == taken;
}

bool ReliableWorld::over(std::uint8_t connection) const {
    bool in_order = true;
    for (const auto e : {static_cast<std::uint8_t>(2 * connection), static_cast<std::uint8_t>(2 * connection + 1)}) {
        const Requester& r = qp(e).requester;
        if (!wires_[e].frames.empty() || !r.queue.empty() || !r.held.empty() || r.recovery.ack_deadline != kEndOfTime ||
            !qp(e).responder.answers.empty())
            return false;
        if (!asks(e)) continue;
        if (end(e).posted != messages_of(requester_of(e)).size() || end(e).cqes != end(e).posted) return false;
        in_order = in_order && ended_well(requester_of(e));
    }
    const auto first = static_cast<std::uint8_t>(2 * connection);
    return in_order || (ended_in_error(first) && ended_in_error(peer_of(first)));
}

bool ReliableWorld::over() const {
    for (const CardState& card : cards_) {
        if (!card.writes.empty() || !card.atomics.empty() || (card.durable && !card.durable->quiet())) return false;
    }
    for (std::uint8_t connection = 0; connection < ends() / 2; ++connection) {
        if (!over(connection)) return false;
    }
    return true;
}

std::string ReliableWorld::broken() const {
    if (!broken_.empty()) return std::string(broken_);
    for (const CardState& card : cards_) {
        if (!card.broken.empty()) return std::string(card.broken);
    }
    for (std::uint8_t e = 0; e < ends(); ++e) {
        if (qp(e).requester.queue.answers_due() > workload_->rd_atomic) return "V-I9: beyond max_rd_atomic";
        const EndState& who = end(e);
        if (asks(peer_of(e)) && who.atomics > std::ranges::count_if(messages_of(requester_of(peer_of(e))), is_atomic))
            return "V-I4: an atomic is done twice";
    }
    return {};
}

}  // namespace rnicsim::rc
