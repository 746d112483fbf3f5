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

Outcome ReliableWorld::post(std::uint8_t requester) {
    EndState& who = end(end_of_requester(requester));
    CardState& card = cards_[card_of(end_of_requester(requester))];
    if (who.posted == messages_of(requester).size()) return Outcome::impossible;
    ++who.posted;
    if (!card.rc.on_post(card.now, who.qp, 1, card)) broken_ = "V-Q1: a WQE is refused";
    return Outcome::done;
}

std::uint32_t ReliableWorld::takers_of(std::uint8_t requester, std::size_t messages) const {
    const std::vector<Verb>& all = messages_of(requester);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(messages, all.size()));
    return static_cast<std::uint32_t>(std::count_if(all.begin(), last, takes_receive));
}

std::uint32_t ReliableWorld::takers_at(const CardState& card) const {
    std::uint32_t all = 0;
    for (std::uint8_t r = 0; r < requesters(); ++r) {
        if (card_of(peer_of(end_of_requester(r))) == card.number) all += takers_of(r);
    }
    return all;
}

Outcome ReliableWorld::post_receive(CardState& card) {
    if (card.receives_posted == workload_->receives.value_or(takers_at(card))) return Outcome::impossible;
    ++card.receives_posted, ++card.receives_waiting;
    if (!card.receives().shared()) card.rc.on_post_receive(card.now, card.ends[0].qp, card);
    return Outcome::done;
}

/// An SRQ's buffers are apart. Else the buffer lies where the message that takes it would be written to.
ReceiveWqe ReliableWorld::receive_wqe(const CardState& card, std::uint32_t number) const {
    const std::uint32_t bytes = workload_->packets * kExploredMtu;
    if (card.receives().shared())
        return {number, {{address_of(*workload_, 2, 0) + std::uint64_t{number} * bytes, bytes, card.key}}};
    const std::uint8_t asked_by = requester_of(peer_of(end_at(card.number, 0)));
    std::uint32_t message = 0;
    while (message + 1 < messages_of(asked_by).size() && takers_of(asked_by, message + 1) <= number) ++message;
    return {number, {{address_of(*workload_, asked_by, message), bytes, card.key}}};
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
    const std::vector<std::uint8_t> waited = std::exchange(waiting_, {});
    for (const std::uint8_t wire : waited) {
        if (card_of(peer_of(wire)) == card.number) {
            hand_over(wire);
        } else {
            waiting_.push_back(wire);
        }
    }
    return Outcome::done;
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

/// The first frame of a wire. False: it has to wait for a receive WQE.
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

Outcome ReliableWorld::timer(CardState& card, bool quiet) {
    if (!quiet && faults_left_ == 0) return Outcome::impossible;
    const Time at = card.rc.next_deadline();
    if (at == kEndOfTime) return Outcome::impossible;
    if (!quiet) --faults_left_;
    card.now = at;
    card.rc.on_timer(at, card);
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
    if (faults_left_ == 0 || wire.frames.size() < held + (passes ? 2 : 1) || in_error(peer_of(number)))
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

void ReliableWorld::fetch_sends(CardState& card) {
    while (!card.fetches.empty()) {
        const SendFetch fetch = card.fetches.front();
        card.fetches.erase(card.fetches.begin());
        const std::uint8_t from = end_at(card.number, card.number_of(fetch.qp));
        const std::uint8_t requester = requester_of(from);
        for (std::uint32_t i = fetch.first; i < fetch.first + fetch.count; ++i) {
            SendWqe wqe;
            wqe.verb = messages_of(requester)[i];
            const std::uint32_t bytes = is_atomic(wqe.verb) ? kAtomicBytes : workload_->packets * kExploredMtu;
            wqe.sges = {{address_of(*workload_, requester, i), bytes, card.key}};
            wqe.remote_address = address_of(*workload_, requester, i);
            wqe.remote_key = cards_[card_of(peer_of(from))].key;
            card.rc.on_fetched(card.now, fetch.qp, wqe, card);
        }
    }
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
        default: return host_in_words(step, {static_cast<char>('a' + answering_card(of))});
    }
}

}  // namespace rnicsim::rc
