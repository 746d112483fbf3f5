// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/verbs/random_run.h"

#include "tlm/roce/opcodes.h"

#include <algorithm>
#include <numeric>

namespace rnicsim::rc {
namespace {

constexpr std::uint32_t kSource = 1U << 13U;  // of each card's memory: payload, never written
constexpr std::uint32_t kMemory = 1U << 18U;
constexpr std::uint64_t kCounter = Card::kBase + kSource;  // what FADDs count
constexpr std::array kVerbs{
    Verb::send,      Verb::send_imm, Verb::write,        Verb::write_imm,    Verb::read,
    Verb::fetch_add, Verb::flush,    Verb::atomic_write, Verb::write_persist};  // the last three: if asked for
constexpr std::uint32_t kPlain = 6;
constexpr std::array kWithoutReceives{Verb::write,        Verb::read,          Verb::fetch_add,    Verb::flush,
                                      Verb::atomic_write, Verb::write_persist, Verb::write_persist};

QpAttributes attributes_of(std::mt19937_64& random) {
    constexpr std::array kMtus{256U, 512U, 1024U};
    QpAttributes a;
    a.access = kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushVisible | kFlushPersistent;
    a.path_mtu = kMtus.at(random() % kMtus.size());
    a.max_rd_atomic = a.max_dest_rd_atomic = static_cast<std::uint8_t>(1 + random() % 3);
    a.rq_psn = a.sq_psn = {0xFF'FFFE};  // wraps after two
    a.timeout = 4;
    a.min_rnr_timer = static_cast<std::uint8_t>(1 + random() % 10);
    return a;
}

RcConfig config_of(std::mt19937_64& random, bool cut) {
    constexpr std::array kWindows{1U, 2U, 3U, 5U, 16U, 64U};
    constexpr std::array kIntervals{1U, 2U, 4U, 16U};
    RcConfig c;
    c.window = kWindows.at(random() % kWindows.size());
    c.ack_interval = kIntervals.at(random() % kIntervals.size());
    c.send_batch = static_cast<std::uint32_t>(1 + random() % 8);
    // Where tries are counted, each of them sends the oldest packet first.
    c.retransmission = &retransmission(cut || random() % 3 != 0 ? "go_back_n" : "go_back_0");
    c.acknowledgement = &acknowledgement(random() % 2 == 0 ? "coalesced" : "each");
    return c;
}

}  // namespace

RandomRun::RandomRun(const RandomSettings& settings) : settings_(settings), random_(settings.seed) {
    config_ = config_of(random_, settings.cut);
    if (settings.selective) config_.retransmission = &retransmission("selective_repeat");
    if (settings.marks) {
        config_.congestion = &congestion_control("dcqcn");
        config_.cnp_interval = kMicrosecond;
        config_.line_rate = 10'000'000'000;
        config_.dcqcn.least_rate = 8'000'000'000;  // both lanes' packets leave well before the timer expires
    }
    const QpAttributes attributes = attributes_of(random_);
    std::optional<PersistMode> persist;
    if (settings.durable) {
        persist =
            PersistMode{draw(2) == 0 ? PersistMark::opcode : PersistMark::range, PersistPack::opcode, draw(2) == 0};
        config_.persist.timer = kMicrosecond * 50;
    }
    if (settings.by_processor) {
        persist->by_processor = true;
        config_.persist.timer = kMillisecond * 2;  // a PACK may wait behind requests that RNR NAKs put off
        config_.persist.hold = draw(2) == 0 ? 64 : 1;
        config_.persist.capacity = draw(2) == 0 ? 64 : 1;
    }
    for (int i = 0; i < 2; ++i) cards_.emplace_back(config_, attributes, kMemory, Service::reliable, persist);
    for (const Side side : {kA, kB}) {
        cards_[side].connect(cards_[other(side)].qp);
        std::generate_n(cards_[side].memory.begin(), kSource, [this] { return static_cast<std::uint8_t>(random_()); });
        next_free_[side] = kCounter + 8;
        cards_[side].on_cqe = [this, side](const Completion& c) { on_cqe(side, c); };
    }
    faults_ = settings.max_faults == 0 ? 0 : draw(settings.max_faults + 1);
    for (const Side side : {kA, kB}) plan(side);
    if (!settings.cut) return;
    for (const Side side : {kA, kB}) {  // no RNR NAKs: what they answer is no try that has failed
        for (const ReceiveSges& sges : watches_[side].receives) cards_[side].post_receive(sges);
        watches_[side].receives_posted = static_cast<std::uint32_t>(watches_[side].receives.size());
    }
}

void RandomRun::plan(Side side) {
    const std::uint32_t mtu = cards_[side].attributes.path_mtu;
    const auto room = [&](Side at, std::uint32_t bytes) {
        const std::uint64_t begin = next_free_[at];
        next_free_[at] += bytes + 8 + (8 - bytes % 8) % 8;  // atomics need whole words
        return begin;
    };
    Watch& w = watches_[side];
    std::uint64_t counted = 0;
    for (std::uint32_t n = 1 + draw(8); n != 0; --n) {
        Message m;
        SendWqe& wqe = m.wqe;
        const std::uint32_t verbs = settings_.durable ? static_cast<std::uint32_t>(kVerbs.size()) : kPlain;
        wqe.verb = settings_.by_processor ? kWithoutReceives.at(draw(kWithoutReceives.size())) : kVerbs.at(draw(verbs));
        const bool range = cards_[side].state().init.persist.value_or(PersistMode{}).mark == PersistMark::range;
        if (settings_.by_processor && range && wqe.verb == Verb::write) wqe.verb = Verb::write_persist;
        wqe.signaled = draw(4) != 0;
        wqe.fence = draw(4) == 0;
        const bool a_word = is_atomic(wqe.verb) || wqe.verb == Verb::atomic_write;
        m.bytes = a_word ? kAtomicBytes : wqe.verb == Verb::flush ? 0 : draw(3) == 0 ? draw(3) : draw(5 * mtu);
        wqe.remote_key = cards_[other(side)].key;
        if (wqe.verb == Verb::read) {
            m.remote = Card::kBase + draw(kSource - m.bytes);
            m.local = room(side, m.bytes);
        } else if (is_atomic(wqe.verb)) {
            m.remote = kCounter;
            m.local = room(side, kAtomicBytes);
            m.original = counted;
            wqe.swap_or_add = 1 + draw(100);
            counted += wqe.swap_or_add;
        } else {
            m.local = Card::kBase + draw(kSource - m.bytes);
            m.remote = room(other(side), m.bytes);
        }
        wqe.remote_address = m.remote;
        wqe.flush = {roce::FlushPlacement::persistent, roce::FlushSelectivity::range};
        wqe.immediate_or_key = 1000 + n;
        const std::uint32_t half = draw(m.bytes + 1);
        if (wqe.verb != Verb::flush)
            wqe.sges = {{m.local, half, cards_[side].key}, {m.local + half, m.bytes - half, cards_[side].key}};
        if (takes_receive(wqe.verb)) {
            w.takers.push_back(static_cast<std::uint32_t>(w.plan.size()));
            const std::uint32_t bytes = wqe.verb == Verb::write_imm ? 0 : m.bytes;
            watches_[other(side)].receives.push_back({{m.remote, bytes, cards_[other(side)].key}});
        }
        if (settings_.by_processor && wqe.verb == Verb::write_persist) {
            for (Watch& each : watches_) each.receives.emplace_back();
        }
        w.plan.push_back(m);
    }
}

std::string RandomRun::run() {
    constexpr std::uint32_t kSteps = 18, kDurableSteps = 20;
    std::array<std::uint32_t, kDurableSteps> all{};
    const std::span order = std::span(all).first(settings_.durable ? kDurableSteps : kSteps);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint64_t n = 0; breach_.empty(); ++n) {
        if (n == 1'000'000) return "it does not end";
        if (settings_.cut && !is_cut_ && draw(60) == 0) is_cut_ = true;
        std::ranges::shuffle(order, random_);
        const bool any = std::ranges::any_of(order, [this](std::uint32_t which) { return step(which); });
        if (!any && !advance()) break;
    }
    if (breach_.empty()) check_end();
    for (const Card& card : cards_) {
        resent += card.rc.count(RcCount::retransmissions);
        cnps += card.rc.count(RcCount::cnps_received);
        rnr_naks += card.rc.count(RcCount::rnr_naks_sent);
    }
    return breach_;
}

bool RandomRun::step(std::uint32_t which) {
    const Side side = which % 2 == 0 ? kA : kB;
    Card& card = cards_[side];
    Watch& w = watches_[side];
    switch (which / 2) {
        case 0:
            if (w.posted == w.plan.size()) return false;
            expect(card.post(now_, w.plan[w.posted++].wqe), "a post is refused");
            return true;
        case 1:
            if (w.receives_posted == w.receives.size() || draw(8) != 0) return false;
            card.post_receive(w.receives[w.receives_posted++]);
            return true;
        case 2: return card.read_wqes(now_);
        case 3: return card.post_one(now_);
        case 4: return card.do_atomic(now_);
        case 5: return transmit(side, Lane::request);
        case 6: return transmit(side, Lane::notification) || transmit(side, Lane::answer);
        case 7: return deliver(side);
        case 9: return draw(3) == 0 && (card.make_durable(now_) || answer_persist(side));
        default: return side == kA ? fault(draw(2) == 0 ? kA : kB) : early_timer();
    }
}

/// Nothing else can happen: the next flush read or timer, or receives at last.
bool RandomRun::advance() {
    for (const Side side : {kA, kB}) {
        if (cards_[side].make_durable(now_) || answer_persist(side)) return true;
    }
    for (const Side side : {kA, kB}) {
        Watch& w = watches_[side];
        if (w.receives_posted != w.receives.size() && draw(2) == 0) {
            cards_[side].post_receive(w.receives[w.receives_posted++]);
            return true;
        }
    }
    const Time next = std::min(cards_[kA].rc.next_deadline(), cards_[kB].rc.next_deadline());
    if (next == kEndOfTime) return false;
    expect(next >= now_, "a timer lies in the past");
    now_ = next;
    for (Card& card : cards_) card.rc.on_timer(now_, card);
    return true;
}

bool RandomRun::early_timer() {
    if (faults_ == 0 || draw(50) != 0) return false;
    --faults_;
    advance();
    return true;
}

bool RandomRun::transmit(Side side, Lane lane) {
    note_progress(side);
    auto flight = cards_[side].transmit(now_, lane);
    if (!flight) return false;
    ++packets;
    if (lane == Lane::request) {
        if (settings_.by_processor) note_persist(side, *flight);
        check_request(side, flight->header);
    } else if (flight->header.opcode != roce::Opcode::cnp) {
        check_answer(side, flight->header);
    }
    if (!is_cut_) wires_[side].push_back(std::move(*flight));
    return true;
}

bool RandomRun::deliver(Side from) {
    auto& wire = wires_[from];
    if (wire.empty()) return false;
    Card& card = cards_[other(from)];
    const bool response = roce::meaning(wire.front().header.opcode)->sender == roce::Sender::responder;
    Watch& w = watches_[other(from)];
    if (!response && w.open_nak == wire.front().header.psn) w.open_nak.reset();
    if (settings_.marks && wire.front().header.payload != 0 && draw(4) == 0)
        card.rc.on_marked(now_, card.attributes.peer, card.qp, card);
    if (!card.take(now_, wire.front())) return false;
    wire.pop_front();
    check_placements(other(from));
    return true;
}

/// The first frame of this wire is lost, copied, or overtaken.
bool RandomRun::fault(Side from) {
    auto& wire = wires_[from];
    if (faults_ == 0 || wire.empty() || draw(6) != 0) return false;
    --faults_;
    const Flight first = wire.front();
    const std::uint32_t kind = draw(3);
    if (kind != 1) wire.pop_front();
    if (kind != 0) wire.insert(wire.begin() + draw(static_cast<std::uint32_t>(wire.size()) + 1), first);
    return true;
}

void RandomRun::check_request(Side side, const roce::Header& h) {
    const Requester& r = cards_[side].state().requester;
    const bool answered = h.opcode == roce::Opcode::read_request || h.opcode == roce::Opcode::fetch_add ||
                          h.opcode == roce::Opcode::flush || h.opcode == roce::Opcode::atomic_write;
    for (auto n = r.held.first(); n != r.held.end(); ++n) {
        if (r.held[n].entry.end() - 1 == h.psn) return;  // V-P4: repeated
    }
    const std::int32_t place = ahead(h.psn, r.queue.oldest());
    // What is missing of a READ may lie beyond.
    const Psn begin = answered ? r.queue.entry_of(h.psn).first : h.psn;
    // With go_back_0 nothing of a message that begins anew is acknowledged any more, so more is outstanding.
    const bool whole = config_.retransmission->repeats_message();
    expect(whole || ahead(begin, r.queue.oldest()) < static_cast<std::int32_t>(config_.window),
           "V-I9: beyond the window");
    expect(place >= 0 || whole, "V-R8: acknowledged, and sent again");
    const bool selective = config_.retransmission->selective();
    expect(answered || selective || h.psn == r.queue.cursor() - 1, "V-I3: not in PSN order");
    expect(!r.queue.has_come(h.psn), "V-R11: has come, and is sent again");
    expect(r.queue.answers_due() <= cards_[side].attributes.max_rd_atomic, "V-I9: beyond max_rd_atomic");
    expect(now_ >= r.recovery.rnr_until, "V-R10: before the RNR time is over");
    if (h.psn == r.queue.oldest()) ++watches_[side].tries;
}

void RandomRun::check_answer(Side side, const roce::Header& h) {
    const Responder& r = cards_[side].state().responder;
    Watch& w = watches_[side];
    const bool tells_more = h.opcode == roce::Opcode::selective_nak;
    const bool is_nak = tells_more || (h.opcode == roce::Opcode::ack && h.aeth.kind != roce::AckKind::ack);
    // Of an answer all before it are acknowledged, of an ACK and an atomic's answer its own PSN as well.
    const bool pack = h.opcode == roce::Opcode::persist_ack;
    const Psn acknowledged = (h.opcode == roce::Opcode::ack && !is_nak) || pack ? h.psn : h.psn - 1;
    if (pack) {
        const std::optional<Psn>& durable = settings_.by_processor ? w.made_durable : cards_[side].durable;
        expect(durable && ahead(h.psn, *durable) <= 0, "V-P3: a PACK for what is not durable");
        ++packs;
    }
    expect(ahead(r.expected, acknowledged) > 0, "V-I9: an ACK for what was not accepted");
    const std::uint32_t unposted = r.asked_to_place - r.posted;
    for (std::size_t i = cards_[side].placed.size() - unposted; i < cards_[side].placed.size(); ++i) {
        expect(ahead(cards_[side].placed[i], acknowledged) > 0, "V-I5: an ACK for what is not posted");
    }
    if (h.opcode == roce::Opcode::read_middle) return;
    if (w.last_msn) expect(ahead(h.aeth.msn, *w.last_msn) >= 0, "V-I9: MSN falls");
    w.last_msn = h.aeth.msn;
    if (tells_more) {
        expect(std::ranges::find(w.told, h.arrived) == w.told.end(), "V-I9: told twice of one packet");
        w.told.push_back(h.arrived);
    } else if (is_nak && h.aeth.kind == roce::AckKind::nak) {
        expect(config_.retransmission->repeats_message() || w.open_nak != h.psn, "V-I9: two NAKs for a gap");
        w.open_nak = h.psn;
    }
    expect(r.first_answers <= cards_[side].attributes.max_dest_rd_atomic, "V-I9: beyond max_dest_rd_atomic");
}

void RandomRun::check_placements(Side side) {
    const std::vector<Psn>& placed = cards_[side].placed;
    const std::vector<bool>& first = cards_[side].placed_first;
    // go_back_0: the message under way begins anew; of none behind it has anything come.
    const auto begins_anew = [&](std::size_t n) {
        if (!config_.retransmission->repeats_message() || !first[n]) return false;
        for (std::size_t i = 0; i < n; ++i)
            if (first[i] && ahead(placed[i], placed[n]) > 0) return false;
        return true;
    };
    std::size_t& seen = watches_[side].placed_seen;
    for (; seen < placed.size(); ++seen) {
        const auto before = std::span(placed).first(seen);
        const bool once = std::ranges::find(before, placed[seen]) == before.end();
        const bool in_order = seen == 0 || ahead(placed[seen], placed[seen - 1]) > 0;
        const bool goes_on =
            config_.retransmission->repeats_message() && in_order && placed[seen] == placed[seen - 1] + 1;
        expect((once && (in_order || config_.retransmission->selective())) || goes_on || begins_anew(seen),
               "V-I3: placed twice or out of order");
        if (!in_order && config_.retransmission->selective()) ++early;
    }
}

void RandomRun::note_progress(Side side) {
    const SendQueue& queue = cards_[side].state().requester.queue;
    Watch& w = watches_[side];
    if (w.oldest == queue.oldest() || cards_[side].state().state == QpState::error) return;
    w.oldest = queue.oldest();
    // A NAK acknowledges what is before it, and is a try that has failed. What was sent already is a try, too.
    const std::uint32_t failed = cards_[side].attributes.retry_cnt - cards_[side].state().requester.recovery.tries_left;
    w.tries = failed + (queue.cursor() == queue.oldest() ? 0 : 1);
}

/// Its payload is where it belongs.
bool RandomRun::arrived(Side from, const Message& m) {
    Card& card = cards_[from];
    if (is_atomic(m.wqe.verb)) {
        std::uint64_t found = 0;
        std::memcpy(&found, card.at(m.local), sizeof found);
        return found == m.original;
    }
    return std::memcmp(card.at(m.local), cards_[other(from)].at(m.remote), m.bytes) == 0;
}

void RandomRun::on_cqe(Side side, const Completion& c) {
    if (c.receive) return on_receive_cqe(side, c);
    Watch& w = watches_[side];
    // Unsignaled ones that have succeeded have none.
    while (w.ended < c.index) {
        expect(w.ended < w.plan.size() && !w.plan[w.ended].wqe.signaled, "V-I7: a WQE has no CQE");
        ++w.ended;
    }
    expect(c.index == w.ended, "V-I7: two CQEs of a WQE, or out of order");
    if (!breach_.empty()) return;
    const Message& m = w.plan[w.ended++];
    if (c.status != Status::success) {
        expect(settings_.cut, "V-I10: a failure without a cause");
        // V-P7: what waits for its PACK has completed; the QP fails by an event.
        const bool first = w.failed == 0 && (!settings_.by_processor || cards_[side].events.empty());
        expect(c.status == (first ? Status::retry_exc : Status::wr_flush), "V-I10: another failure");
        if (w.failed++ == 0) {
            // Where a PACK is what is missing, repeats are counted by themselves (V-P4).
            expect(settings_.durable || w.tries == cards_[side].attributes.retry_cnt + 1U,
                   "V-I10: RETRY_EXC after other than all tries");
        }
        return;
    }
    expect(m.wqe.signaled, "V-I7: a CQE that was not asked for");
    expect(w.failed == 0, "V-I7: a success behind a failure");
    expect(arrived(side, m), "V-I5: completed before all has arrived");
}

/// Of WRITE_PERSISTs by processors: V-P6 of those of the other one, V-P7 of its own.
void RandomRun::on_told(Side side, const Completion& c) {
    Watch& w = watches_[side];
    const Watch& far = watches_[other(side)];
    const Psn psn{c.immediate_or_key};
    if (c.verb == Verb::write_persist) {
        w.to_answer.push_back(psn);
        const auto is_it = [&](const Message& m) {
            return m.wqe.verb == Verb::write_persist && m.remote == c.address && m.bytes == c.bytes;
        };
        const auto found = std::ranges::find_if(far.plan, is_it);
        expect(found != far.plan.end() && arrived(other(side), *found), "V-P6: told of what is not in memory");
        return;
    }
    expect(c.verb == Verb::persist_ack && w.answered < w.persists.size(), "V-P7: a PACK of nothing");
    if (!breach_.empty()) return;
    expect(psn == w.persists[w.answered++], "V-P7: PACKs out of order");
    const std::optional<Psn>& durable = watches_[other(side)].made_durable;
    expect(durable && ahead(psn, *durable) <= 0, "V-P7: a PACK for what is not durable");
}

/// Which PSNs its WRITE_PERSISTs end with.
void RandomRun::note_persist(Side side, const Flight& flight) {
    using enum roce::Opcode;
    constexpr std::array kLast{write_last,         write_only,           write_persist_last,
                               write_persist_only, selective_write_last, selective_write_only};
    Watch& w = watches_[side];
    const bool last = std::ranges::find(kLast, flight.header.opcode) != kLast.end();
    if (!last || w.plan[flight.wqe].wqe.verb != Verb::write_persist) return;
    if (w.persists.empty() || ahead(flight.header.psn, w.persists.back()) > 0) w.persists.push_back(flight.header.psn);
}

/// The program makes what it was told of durable, and says so.
bool RandomRun::answer_persist(Side side) {
    Watch& w = watches_[side];
    if (w.to_answer.empty()) return false;
    Message m;
    m.local = m.remote = Card::kBase;
    m.wqe.verb = Verb::persist_ack;
    m.wqe.immediate_or_key = w.to_answer.front().n;
    w.made_durable = w.to_answer.front();
    w.to_answer.pop_front();
    w.plan.insert(w.plan.begin() + w.posted, m);
    ++w.packs_posted;
    expect(cards_[side].post(now_, w.plan[w.posted++].wqe), "a post is refused");
    return true;
}

void RandomRun::on_receive_cqe(Side side, const Completion& c) {
    Watch& w = watches_[side];
    const Watch& far = watches_[other(side)];
    expect(c.index == w.received, "V-I2: receive WQEs out of order");
    ++w.received;
    if (c.status != Status::success) return expect(settings_.cut, "V-I10: a receive fails without a cause");
    if (settings_.by_processor) return on_told(side, c);
    expect(w.received <= far.takers.size(), "V-I2: a receive WQE too many");
    if (!breach_.empty()) return;
    const std::uint32_t taker = far.takers[c.index];
    const Message& m = far.plan[taker];
    expect(c.bytes == m.bytes && c.verb == m.wqe.verb, "V-I2: a receive of another message");
    const bool immediate = m.wqe.verb == Verb::send_imm || m.wqe.verb == Verb::write_imm;
    expect(c.immediate_or_key == (immediate ? m.wqe.immediate_or_key : 0), "V-I2: a wrong immediate");
    for (std::uint32_t i = 0; i <= taker; ++i) {
        if (!has_answer(far.plan[i].wqe.verb)) {
            expect(arrived(other(side), far.plan[i]), "V-I6: a receive before all payload is in memory");
        }
    }
}

void RandomRun::check_end() {
    for (const Side side : {kA, kB}) {
        Watch& w = watches_[side];
        const Qp& qp = cards_[side].state();
        for (; w.ended < w.plan.size(); ++w.ended) {
            expect(!w.plan[w.ended].wqe.signaled && w.failed == 0, "V-I7: a WQE does not end");
        }
        expect(w.posted == w.plan.size() && qp.requester.queue.empty(), "V-I11: the send queue is not empty");
        expect(qp.requester.held.empty(), "V-P3: a WQE is held");
        expect(qp.responder.asked.empty() || settings_.cut, "V-P6: a WRITE_PERSIST has not been answered");
        expect(qp.requester.queue.outstanding() == 0 && qp.requester.queue.answers_due() == 0, "V-I11: outstanding");
        expect(cards_[side].rc.next_deadline() == kEndOfTime, "V-I11: a timer runs");
        if (w.failed != 0 || !cards_[side].events.empty()) continue;
        expect(qp.state == QpState::rts, "V-I11: not in RTS");
        expect(qp.responder.answers.empty() && qp.responder.first_answers == 0, "V-I11: answers are left");
        if (settings_.cut) continue;  // a message of the other one may have stopped half-way
        expect(!qp.responder.receive, "V-I11: a receive WQE is kept");
        const Early& left = qp.responder.early;
        expect(left.came.empty() && left.writes.empty(), "V-I11: something that came ahead is left");
        const Watch& far = watches_[other(side)];
        expect(qp.responder.msn.n == far.plan.size() - far.packs_posted, "V-I9: not each message is counted");
        expect(w.answered == w.persists.size(), "V-P7: a PACK is missing");
        expect(w.received == w.receives.size(), "V-I2: not all receives are used");
        std::uint64_t sum = 0;
        std::uint32_t atomics = 0;
        for (const Message& m : w.plan) {
            expect(arrived(side, m), "V-I3: a payload is wrong in the end");
            if (is_atomic(m.wqe.verb)) {
                sum += m.wqe.swap_or_add;
                ++atomics;
            }
        }
        std::uint64_t counter = 0;
        std::memcpy(&counter, cards_[other(side)].at(kCounter), sizeof counter);
        expect(counter == sum && cards_[other(side)].atomics_done == atomics, "V-I4: an atomic counts twice or never");
    }
}

}  // namespace rnicsim::rc
