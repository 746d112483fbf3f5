#include "testbench/explore/rc/pair_world.h"

#include "testbench/explore/rc/words.h"

#include <algorithm>
#include <tuple>

namespace rnicsim::rc {
namespace {

constexpr std::uint32_t kMtuOfPair = 256;
constexpr Psn kFirst{0xFF'FFFE};
constexpr std::uint64_t kAt = 4096;  // all messages go to and come from one place, if they are not apart

bool carries_payload(Verb v) { return !is_atomic(v); }
std::uint8_t name_of_packet(std::uint64_t message, std::uint64_t packet) {
    return static_cast<std::uint8_t>(message * 8 + packet + 1);
}

/// Of one place in memory, if messages are not apart.
bool same_slot(std::uint8_t payload, std::uint8_t other) { return payload % 8 == other % 8; }
std::uint64_t address_of(const Workload& w, std::uint32_t message) {
    return kAt + (w.apart ? message * w.packets * kMtuOfPair : 0U);
}

/// Puts numbers of all kinds into a digest.
struct Key {
    explore::Mixer mixer;
    template <typename... T>
    void add(const T&... values) {
        (mixer.add(static_cast<std::uint64_t>(values)), ...);
    }
};

void add(Key& key, const Responder& r) {
    key.add(r.expected.n, r.msn.n, r.nak_sent, r.incoming, r.receive.has_value(), r.bytes, r.address, r.left,
            r.asked_to_place, r.posted, r.first_answers, r.answers.size());
    for (auto n = r.answers.first(); n != r.answers.end(); ++n) {
        const Answer& a = r.answers[n];
        key.add(a.kind, a.psn.n, a.msn.n, a.value, a.after, a.first_time, a.length, a.packets, a.sent, a.known);
    }
    for (const Remembered& m : r.memory.all()) key.add(m.valid, m.psn.n, m.known);
}

void add(Key& key, const CameAhead& came) {
    key.add(came.size());
    for (std::uint32_t place = 0; place < came.size(); ++place) key.add(came.has(place));
}

/// What only selective repeat has.
void add_selective(Key& key, const Qp& qp) {
    const SendQueue& queue = qp.requester.queue;
    const Early& early = qp.responder.early;
    key.add(queue.repeat_end().n, queue.sent_after().n, early.writes.size(), early.dropped ? early.dropped->n + 1 : 0);
    add(key, queue.came());
    add(key, early.came);
}

void add(Key& key, const CardState& card) {
    const Requester& r = card.state().requester;
    const Recovery& recovery = r.recovery;
    std::apply([&](const auto&... v) { key.add(v...); }, r.queue.memory());
    key.add(recovery.tries_left, recovery.rnr_tries_left, recovery.loss_seen, recovery.ack_deadline != kEndOfTime,
            card.now < recovery.rnr_until, r.unasked, card.state().state, card.state().listed[0],
            card.state().listed[1]);
    add(key, card.state().responder);
    if (card.workload->retransmission->selective()) {
        add_selective(key, card.state());
        for (const std::uint8_t payload : card.placed) key.add(payload);
    }
    std::apply([&](const auto&... v) { key.add(v...); }, card.rc.receive_queue(card.rq).memory());
    key.add(card.rc.receive_queue(card.rq).ready(), card.receive_fetches, card.receives_waiting, card.receives_posted,
            card.atomics.size(), card.placed.size(), card.in_memory.size(), card.cqes, card.writes.size());
    for (const CardState::Write& w : card.writes) key.add(w.payload, w.is_cqe, w.cqe.index);
}

}  // namespace

CardState::CardState(const Workload& w)
    : workload(&w), rc([&] {
          RcConfig config;
          config.window = w.window;
          config.retransmission = w.retransmission;
          return config;
      }()) {
    rq = rc.create_receive_queue(false);
    QpInit init;
    init.receive_queue = rq;
    qp = *rc.create_qp({}, init);
    key = *rc.regions().add(Pd{}, {0, 1U << 20U}, {15});
    QpAttributes a;
    a.access = kRemoteWrite | kRemoteRead | kRemoteAtomic;
    a.path_mtu = kMtuOfPair;
    a.dest_qpn = qp;  // both ends have the same number
    a.sq_psn = a.rq_psn = kFirst;
    a.retry_cnt = static_cast<std::uint8_t>(w.retry);
    a.rnr_retry = static_cast<std::uint8_t>(w.rnr);
    a.max_rd_atomic = a.max_dest_rd_atomic = static_cast<std::uint8_t>(w.rd_atomic);
    rc.modify_qp({}, qp, QpState::init, attribute::kAccess, a, *this);
    rc.modify_qp({}, qp, QpState::rtr, attribute::kForRtr, a, *this);
    rc.modify_qp({}, qp, QpState::rts, attribute::kForRts, a, *this);
}

void CardState::place(const Placement& placement) {
    const bool selective = workload->retransmission->selective();
    for (const std::uint8_t before : placed) {
        if (before < payload) continue;
        if (before == payload) broken = "V-I3: placed twice";
        if (!selective) broken = "V-I3: placed out of order";
        if (!workload->apart && same_slot(before, payload)) broken = "V-I3: something old on something newer";
    }
    placed.push_back(payload);
    writes.push_back({placement.of_request, payload, false, {}});
}

PairWorld::PairWorld(const Workload& workload)
    : workload_(&workload), asks_(workload), answers_(workload), faults_left_(workload.faults) {}

bool PairWorld::post() {
    if (posted_ == workload_->messages.size()) return false;
    ++posted_;
    return asks_.rc.on_post(asks_.now, asks_.qp, 1, asks_);
}

bool PairWorld::apply(Step step, bool quiet) {
    const auto takers = takers_before(static_cast<std::uint32_t>(workload_->messages.size()));
    bool done = false;
    switch (step) {
        case Step::post: done = post(); break;
        case Step::post_receive:
            done = answers_.receives_posted < takers;
            if (done) ++answers_.receives_posted, ++answers_.receives_waiting;
            break;
        case Step::read_receives: {
            done = answers_.receive_fetches != 0;
            if (!done) break;
            --answers_.receive_fetches;
            std::vector<ReceiveWqe> wqes;
            for (std::uint32_t i = answers_.receives_posted - answers_.receives_waiting; i < answers_.receives_posted;
                 ++i) {
                wqes.push_back({i, {{address_of_taker(i), workload_->packets * kMtuOfPair, answers_.key}}});
            }
            answers_.receives_waiting = 0;
            answers_.rc.on_fetched_receives({}, answers_.rq, wqes, answers_);
            break;
        }
        case Step::request: done = transmit(asks_, Lane::request, requests_); break;
        case Step::answer: done = transmit(answers_, Lane::answer, responses_); break;
        case Step::deliver_request: done = deliver(requests_, answers_); break;
        case Step::deliver_answer: done = deliver(responses_, asks_); break;
        case Step::posted: done = write_one(); break;
        case Step::atomic: {
            done = !answers_.atomics.empty();
            if (!done) break;
            const AtomicJob job = answers_.atomics.front();
            answers_.atomics.erase(answers_.atomics.begin());
            ++atomics_done_;
            answers_.rc.on_atomic_done({}, answers_.qp, job.psn, atomics_done_);
            break;
        }
        case Step::timer: done = timer(quiet); break;
        case Step::taken: break;
        default: done = fault(step); break;
    }
    if (done) settle();
    return done;
}

/// What is there at once: send WQEs, and the writes of the asking end.
void PairWorld::settle() {
    while (!asks_.fetches.empty()) {
        const SendFetch fetch = asks_.fetches.front();
        asks_.fetches.erase(asks_.fetches.begin());
        for (std::uint32_t i = fetch.first; i < fetch.first + fetch.count; ++i) {
            SendWqe wqe;
            wqe.verb = workload_->messages[i];
            const std::uint32_t bytes = carries_payload(wqe.verb) ? workload_->packets * kMtuOfPair : kAtomicBytes;
            wqe.sges = {{address_of(*workload_, i), bytes, asks_.key}};
            wqe.remote_address = address_of(*workload_, i);
            wqe.remote_key = answers_.key;
            asks_.rc.on_fetched(asks_.now, asks_.qp, wqe, asks_);
        }
    }
    for (const CardState::Write& w : asks_.writes) {
        if (w.is_cqe) {
            on_cqe(w.cqe, true);
        } else {
            asks_.in_memory.push_back(w.payload);
        }
    }
    asks_.writes.clear();
}

bool PairWorld::write_one() {
    if (answers_.writes.empty()) return false;
    const CardState::Write w = answers_.writes.front();
    answers_.writes.erase(answers_.writes.begin());
    if (w.is_cqe) {
        on_cqe(w.cqe, false);
        return true;
    }
    answers_.in_memory.push_back(w.payload);
    answers_.rc.on_placed({}, answers_.qp);
    return true;
}

bool PairWorld::transmit(CardState& from, Lane lane, std::vector<Flight>& wire) {
    const auto packet = from.rc.next_packet(from.now, lane, from);
    if (!packet) return false;
    const roce::Header& h = packet->header;
    std::uint8_t payload = 0;
    if (lane == Lane::request) {
        const SendQueue& queue = from.state().requester.queue;
        // What is missing of a READ may lie beyond.
        const bool read = h.opcode == roce::Opcode::read_request;
        const std::int32_t place = ahead(read ? queue.entry_of(h.psn).first : h.psn, queue.oldest());
        if (place >= static_cast<std::int32_t>(workload_->window)) broken_ = "V-I9: beyond the window";
        payload = name_of_packet(packet->wqe, packet->offset / kMtuOfPair);
    } else {
        if (!packet->from.empty()) payload = name_of_packet(0, (packet->from[0].address - kAt) / kMtuOfPair);
        if (h.opcode == roce::Opcode::selective_nak) {
            if (std::ranges::find(told_, h.arrived) != told_.end()) broken_ = "V-I9: told twice of one packet";
            told_.push_back(h.arrived);
        } else if (h.opcode == roce::Opcode::ack && h.aeth.kind == roce::AckKind::nak) {
            if (open_nak_ == h.psn) broken_ = "V-I9: two NAKs for a gap";
            open_nak_ = h.psn;
        }
    }
    wire.push_back({h, payload});
    return true;
}

bool PairWorld::deliver(std::vector<Flight>& wire, CardState& to) {
    if (wire.empty()) return false;
    const Flight& f = wire.front();
    to.payload = f.payload;
    if (&to == &asks_) {  // its PSN says of which message and packet it is
        std::uint32_t place = distance(kFirst, f.header.psn);
        std::uint32_t message = 0;
        for (; message + 1 < workload_->messages.size(); ++message) {
            const std::uint32_t packets = carries_payload(workload_->messages[message]) ? workload_->packets : 1;
            if (place < packets) break;
            place -= packets;
        }
        to.payload = name_of_packet(message, place);
        const std::uint64_t slots = (address_of(*workload_, message) - kAt) / kMtuOfPair;
        if (f.payload != 0 && f.payload != name_of_packet(0, slots + place))
            broken_ = "V-R8: an answer from another place";
    } else if (open_nak_ == f.header.psn) {
        open_nak_.reset();
    }
    const std::uint32_t fetches = to.receive_fetches;
    if (to.rc.on_packet(to.now, Peer{}, f.header, to) == Taken::later) return to.receive_fetches != fetches;
    wire.erase(wire.begin());
    return true;
}

bool PairWorld::fault(Step step) {
    const auto number = static_cast<unsigned>(step) - static_cast<unsigned>(Step::lose_request);
    auto& wire = number % 2 == 0 ? requests_ : responses_;
    if (faults_left_ == 0 || wire.empty() || (number >= 6 && wire.size() < 2)) return false;
    --faults_left_;
    const Flight first = wire.front();
    switch (number / 2) {
        case 0: wire.erase(wire.begin()); break;
        case 1: wire.insert(wire.begin(), first); break;
        case 2: wire.push_back(first); break;
        case 3: std::swap(wire[0], wire[1]); break;
        default: std::rotate(wire.begin(), wire.begin() + 1, wire.end()); break;
    }
    return true;
}

bool PairWorld::timer(bool quiet) {
    if (!quiet && faults_left_ == 0) return false;
    const Time at = asks_.rc.next_deadline();
    if (at == kEndOfTime) return false;
    if (!quiet) --faults_left_;
    asks_.now = at;
    asks_.rc.on_timer(at, asks_);
    return true;
}

std::uint32_t PairWorld::takers_before(std::uint32_t message) const {
    return static_cast<std::uint32_t>(std::count_if(workload_->messages.begin(), workload_->messages.begin() + message,
                                                    [](Verb v) { return takes_receive(v); }));
}

/// Of the receive WQE `number`: that of the message which takes it.
std::uint64_t PairWorld::address_of_taker(std::uint32_t number) const {
    std::uint32_t message = 0;
    while (takers_before(message + 1) <= number) ++message;
    return address_of(*workload_, message);
}

/// All of a message's payload is in memory.
bool PairWorld::has_arrived(std::uint32_t message) const {
    const Verb verb = workload_->messages[message];
    if (is_atomic(verb)) return std::ranges::count(asks_.in_memory, name_of_packet(message, 0)) == 1;
    const std::vector<std::uint8_t>& memory = verb == Verb::read ? asks_.in_memory : answers_.in_memory;
    for (std::uint32_t p = 0; p < workload_->packets; ++p) {
        if (std::ranges::count(memory, name_of_packet(message, p)) != 1) return false;
    }
    return true;
}

void PairWorld::on_cqe(const Completion& c, bool at_asker) {
    CardState& card = at_asker ? asks_ : answers_;
    if (c.status != Status::success) {
        broken_ = "V-I10: a failure without a cause";
        return;
    }
    if (c.index != card.cqes++) broken_ = "V-I7: a CQE twice or out of order";
    if (at_asker) {
        if (!has_arrived(c.index)) broken_ = "V-I5: completed before all has arrived";
        return;
    }
    for (std::uint32_t m = 0; m < workload_->messages.size() && takers_before(m) <= c.index; ++m) {
        if (!has_answer(workload_->messages[m]) && !has_arrived(m)) broken_ = "V-I6: a receive before its payload";
    }
}

bool PairWorld::over() const {
    const Qp& a = asks_.state();
    const Qp& b = answers_.state();
    const Responder& r = b.responder;
    const bool all_passed = r.msn.n == posted_ && r.incoming == Incoming::none && r.early.came.empty();
    const auto atomics = std::ranges::count_if(workload_->messages, [](Verb v) { return is_atomic(v); });
    return posted_ == workload_->messages.size() && asks_.cqes == posted_ && requests_.empty() && responses_.empty() &&
           answers_.writes.empty() && a.requester.queue.empty() && a.requester.recovery.ack_deadline == kEndOfTime &&
           r.answers.empty() && r.first_answers == 0 && all_passed && a.state == QpState::rts &&
           answers_.cqes == takers_before(posted_) && atomics_done_ == atomics;
}

std::string PairWorld::broken() const {
    if (!broken_.empty()) return broken_;
    if (!asks_.broken.empty()) return asks_.broken;
    const Requester& r = asks_.state().requester;
    if (r.queue.answers_due() > workload_->rd_atomic) return "V-I9: beyond max_rd_atomic";
    return answers_.broken;
}

std::string PairWorld::in_words(Step step) const {
    if (is_fault(step) || step == Step::deliver_request || step == Step::deliver_answer) {
        const auto& wire = is_of_request(step) ? requests_ : responses_;
        return frame_in_words(step, wire.front().header);
    }
    return std::string(host_in_words(step));
}

explore::Digest digest(const PairWorld& world) {
    Key key;
    key.add(world.posted_, world.atomics_done_, world.faults_left_, world.open_nak_ ? world.open_nak_->n + 1 : 0);
    add(key, world.asks_);
    add(key, world.answers_);
    for (const auto* wire : {&world.requests_, &world.responses_}) {
        key.add(wire->size());
        for (const PairWorld::Flight& f : *wire) {
            const roce::Header& h = f.header;
            key.add(h.opcode, h.psn.n, h.ack_request, h.length, h.address, h.payload, h.aeth.kind, h.aeth.value,
                    h.aeth.msn.n, h.original, h.arrived.n);
        }
    }
    for (const Psn psn : world.told_) key.add(psn.n);
    return key.mixer.finish();
}

}  // namespace rnicsim::rc
