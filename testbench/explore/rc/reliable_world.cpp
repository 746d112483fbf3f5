// SPDX-License-Identifier: Apache-2.0
// What can happen between reliable ends. What must hold: reliable_rules.cpp.
#include "testbench/explore/rc/reliable_world.h"

#include "model/rnic/rc/request_checks.h"
#include "testbench/explore/rc/words.h"

#include <algorithm>
#include <utility>

namespace rnicsim::rc {
namespace {

/// A QP that goes to ERR as a WQE cannot be sent, an answer that is dropped as its memory is gone.
std::pair<std::uint32_t, std::uint32_t> decided_without_packet(const CardState& card) {
    std::pair<std::uint32_t, std::uint32_t> sum;
    for (std::uint8_t place = 0; place < card.qps(); ++place) {
        const Qp& qp = card.state(place);
        sum.first += qp.state == QpState::error ? 1 : 0;
        sum.second += qp.responder.answers.first();
    }
    return sum;
}

}  // namespace

ReliableWorld::ReliableWorld(const Workload& workload) : workload_(&workload), faults_left_(workload.faults) {
    const bool shared = workload.requesters == Requesters::shared;
    const std::uint8_t cards = shared ? 3 : 2;
    for (std::uint8_t n = 0; n < cards; ++n) cards_.emplace_back(workload, n, shared && n == 1 ? 2 : 1);
    wires_.resize(shared ? 4 : 2);
    for (std::uint8_t e = 0; e < ends(); ++e) {
        cards_[card_of(e)].connect(place_of(e), card_of(peer_of(e)), end(peer_of(e)).qp);
    }
}

std::uint8_t ReliableWorld::variants(Step step) const {
    switch (step) {
        case Step::post:
        case Step::request:
        case Step::timer: return requesters();
        case Step::post_receive:
        case Step::read_receives:
        case Step::answer:
        case Step::posted:
        case Step::atomic: return both() ? 2 : 1;
        case Step::flush_read:
            return persists(*workload_) ? static_cast<std::uint8_t>(workload_->persist.outstanding * (both() ? 2 : 1))
                                        : 0;
        case Step::modify_to_error: return may_fail() ? ends() : 0;
        case Step::deregister: return workload_->deregister ? 1 : 0;
        case Step::taken: return 0;
        default: return ends() / 2;
    }
}

Outcome ReliableWorld::apply(Step step, std::uint8_t of, bool quiet) {
    const auto try_it = [&] {
        switch (step) {
            case Step::post: return post(of);
            case Step::post_receive: return post_receive(cards_[answering_card(of)]);
            case Step::read_receives: return read_receives(cards_[answering_card(of)]);
            case Step::request: return transmit(cards_[card_of(end_of_requester(of))], Lane::request);
            case Step::answer: return transmit(cards_[answering_card(of)], Lane::answer);
            case Step::deliver_request:
            case Step::deliver_answer: return deliver(wire_of(step, of));
            case Step::posted: return write_one(cards_[answering_card(of)]);
            case Step::atomic: return atomic(cards_[answering_card(of)]);
            case Step::flush_read: {
                const auto reads = static_cast<std::uint8_t>(workload_->persist.outstanding);
                return flush_read(cards_[answering_card(of / reads)], of % reads);
            }
            case Step::timer: return timer(cards_[card_of(end_of_requester(of))], quiet);
            case Step::taken: return Outcome::impossible;
            case Step::modify_to_error: return modify_to_error(of, quiet);
            case Step::deregister: return deregister();
            default: return fault(step, wire_of(step, of));
        }
    };
    const Outcome outcome = try_it();
    if (is_done(outcome)) settle();
    return outcome;
}

/// Packets that waited for it are handed over again at once.
Outcome ReliableWorld::read_receives(CardState& card) {
    if (card.receive_fetches == 0) return Outcome::impossible;
    --card.receive_fetches;
    std::vector<ReceiveWqe> wqes;
    for (std::uint32_t i = card.receives_posted - std::exchange(card.receives_waiting, 0); i < card.receives_posted;
         ++i)
        wqes.push_back(receive_wqe(card, i));
    card.rc.on_fetched_receives(card.now, card.rq, wqes, card);
    hand_over_held(card);
    return Outcome::done;
}

void ReliableWorld::hand_over_held(const CardState& card) {
    const std::vector<std::uint8_t> waited = std::exchange(waiting_, {});
    for (const std::uint8_t wire : waited) {
        if (card_of(peer_of(wire)) == card.number) {
            hand_over(wire);
        } else {
            waiting_.push_back(wire);
        }
    }
}

Outcome ReliableWorld::transmit(CardState& card, Lane lane) {
    if (!card.has_turn(lane)) return Outcome::impossible;
    const auto before = decided_without_packet(card);
    const auto packet = card.rc.next_packet(card.now, lane, card);
    if (!packet) return decided_without_packet(card) == before ? Outcome::in_vain : Outcome::done;
    const std::uint8_t from = end_at(card.number, card.number_of(packet->qp));
    judge_packet(from, lane, *packet);
    Flight flight{packet->header, {}, 0};
    if (lane == Lane::request) {
        flight.payload = {requester_of(from), static_cast<std::uint8_t>(packet->wqe),
                          static_cast<std::uint8_t>(packet->offset / kExploredMtu)};
    } else if (!packet->from.empty()) {
        flight.read_at = packet->from[0].address;
    }
    wires_[from].frames.push_back(flight);
    return Outcome::done;
}

Outcome ReliableWorld::deliver(std::uint8_t wire) {
    if (wires_[wire].frames.empty() || wires_[wire].held) return Outcome::impossible;
    const std::uint8_t to = peer_of(wire);
    CardState& card = cards_[card_of(to)];
    card.tells_rnr = false;
    if (hand_over(wire) && card.tells_rnr) broken_ = "V-S5: an RNR NAK, and the queue was not read for this packet";
    return Outcome::done;
}

/// The first frame of a wire. False: it has to wait, for a receive WQE or until something is durable.
bool ReliableWorld::hand_over(std::uint8_t number) {
    Wire& wire = wires_[number];
    const std::uint8_t to = peer_of(number);
    CardState& card = cards_[card_of(to)];
    const Flight flight = wire.frames.front();
    card.payload = flight.payload;
    if (is_response(flight.header.opcode)) {
        judge_answer(to, flight);
    } else if (end(to).open_nak == flight.header.psn) {
        end(to).open_nak.reset();
    }
    const auto& receive = qp(to).responder.receive;
    const auto held = receive ? std::optional(receive->index) : std::nullopt;
    const std::size_t writes = card.writes.size();
    wire.held = card.rc.on_packet(card.now, Peer{card_of(number)}, flight.header, card) == Taken::later;
    if (wire.held) {
        waiting_.push_back(number);
        return false;
    }
    wire.frames.erase(wire.frames.begin());
    judge_receive(to, held, writes);
    judge_atomic_write(to, writes);
    return true;
}

Outcome ReliableWorld::write_one(CardState& card) {
    if (card.writes.empty()) return Outcome::impossible;
    const CardState::Write w = card.write_one();
    if (w.is_cqe) judge_written(end_at(card.number, w.end), w);
    return Outcome::done;
}

Outcome ReliableWorld::atomic(CardState& card) {
    if (card.atomics.empty()) return Outcome::impossible;
    card.atomic_done();
    return Outcome::done;
}

/// There may be room again for what waits.
Outcome ReliableWorld::flush_read(CardState& card, std::uint32_t tag) {
    if (!card.durable->reads(tag)) return Outcome::impossible;
    card.flush_read_done(tag);
    hand_over_held(card);
    return Outcome::done;
}

Outcome ReliableWorld::timer(CardState& card, bool quiet) {
    if (!quiet && faults_left_ == 0) return Outcome::impossible;
    const Time at = card.rc.next_deadline();
    if (at == kEndOfTime) return Outcome::impossible;
    if (!quiet) --faults_left_;
    card.now = std::max(card.now, at);
    card.rc.on_timer(card.now, card);
    return quiet ? Outcome::done : Outcome::at_a_cost;
}

/// Once in a run, at any time. When a connection has ended so, the program of the other end does the same.
Outcome ReliableWorld::modify_to_error(std::uint8_t e, bool quiet) {
    if (in_error(e)) return Outcome::impossible;
    const bool cleans_up = quiet && in_error(peer_of(e)) && qp(e).requester.queue.empty() && wires_[e].frames.empty() &&
                           wires_[peer_of(e)].frames.empty();
    if (!cleans_up && (!workload_->to_error || disturbed_)) return Outcome::impossible;
    disturbed_ = true;
    CardState& card = cards_[card_of(e)];
    end(e).modified = true;
    if (card.rc.modify_qp(card.now, end(e).qp, QpState::error, attribute::kNone, {}, card) != ModifyError::none)
        broken_ = "V-Q1: a QP cannot be modified to ERR";
    return cleans_up ? Outcome::done : Outcome::at_a_cost;
}

Outcome ReliableWorld::deregister() {
    if (disturbed_) return Outcome::impossible;
    disturbed_ = true;
    cards_[1].gone = true;
    if (!cards_[1].rc.regions().remove(cards_[1].key)) broken_ = "V-I1: a region cannot be deregistered";
    return Outcome::at_a_cost;
}

/// Of the first frame that the card has not got. What an end in ERR drops need not be lost before.
Outcome ReliableWorld::fault(Step step, std::uint8_t number) {
    Wire& wire = wires_[number];
    const std::size_t held = wire.held ? 1 : 0;
    const Fate fate = fate_of(step);
    const bool passes = fate == Fate::overtaken || fate == Fate::overtaken_by_all;
    if (workload_->only_timers || faults_left_ == 0 || wire.frames.size() < held + (passes ? 2 : 1) ||
        in_error(peer_of(number)))
        return Outcome::impossible;
    --faults_left_;
    const auto first = wire.frames.begin() + static_cast<std::ptrdiff_t>(held);
    const Flight copy = *first;
    switch (fate) {
        case Fate::lost: wire.frames.erase(first); break;
        case Fate::copied_next: wire.frames.insert(first, copy); break;
        case Fate::copied_last: wire.frames.push_back(copy); break;
        case Fate::overtaken: std::iter_swap(first, first + 1); break;
        case Fate::overtaken_by_all: std::rotate(first, first + 1, wire.frames.end()); break;
    }
    const bool copied = fate == Fate::copied_next || fate == Fate::copied_last;
    if (copied && copy.header.aeth.kind == roce::AckKind::rnr_nak && workload_->rnr != kEndlessRnrRetry)
        ++end(number).rnr_naks.at(answered_by(requester_of(peer_of(number)), copy.header.psn).message);
    return Outcome::at_a_cost;
}

/// What is there at once: send WQEs, and the writes of a card that only asks.
void ReliableWorld::settle() {
    for (CardState& card : cards_) {
        fetch_sends(card);
        for (CardState::Write& w : card.writes) {
            if (w.is_cqe && !std::exchange(w.judged, true)) judge_decided(end_at(card.number, w.end), w);
        }
        while (!answers(card.number) && !card.writes.empty()) write_one(card);
    }
    if (!cards_[1].durable) return;
    for (CardState& card : cards_) card.tell_durable();
    for (std::uint8_t e = 0; e < ends(); ++e) judge_persisted(e);
}

std::string ReliableWorld::name_of(std::uint8_t e) const {
    const std::string card(1, static_cast<char>('a' + card_of(e)));
    return workload_->requesters == Requesters::shared && card_of(e) == 1
               ? card + " (to " + static_cast<char>('a' + card_of(peer_of(e))) + ")"
               : card;
}

std::string ReliableWorld::in_words(Step step, std::uint8_t of) const {
    if (is_fault(step) || is_arrival(step)) {
        const std::uint8_t from = wire_of(step, of);
        const Wire& wire = wires_[from];
        const std::string way{static_cast<char>('a' + card_of(from)), '>',
                              static_cast<char>('a' + card_of(peer_of(from)))};
        return frame_in_words(step, way, wire.frames[is_fault(step) && wire.held ? 1 : 0].header);
    }
    switch (step) {
        case Step::post:
        case Step::request:
        case Step::timer: return host_in_words(step, name_of(end_of_requester(of)));
        case Step::modify_to_error: return host_in_words(step, name_of(of));
        case Step::flush_read: {
            const auto reads = static_cast<std::uint8_t>(workload_->persist.outstanding);
            return host_in_words(step, {static_cast<char>('a' + answering_card(of / reads))}) +
                   (reads == 1 ? "" : ", tag " + std::to_string(of % reads));
        }
        default: return host_in_words(step, {static_cast<char>('a' + answering_card(of))});
    }
}

}  // namespace rnicsim::rc
