// SPDX-License-Identifier: Apache-2.0
#include "testbench/tests/verbs/unreliable_run.h"

#include <algorithm>
#include <numeric>

namespace rnicsim::rc {
namespace {

constexpr std::uint32_t kSent = 1U << 13U;  // of each card's memory: payload, never written
constexpr std::uint32_t kAll = 1U << 19U;
constexpr std::uint32_t kPmtu = 256, kKey = 77;
constexpr std::array kOfUc{Verb::send, Verb::send_imm, Verb::write, Verb::write_imm};
constexpr std::array kOfUd{Verb::send, Verb::send_imm};

}  // namespace

UnreliableRun::UnreliableRun(const UnreliableSettings& settings) : settings_(settings), random_(settings.seed) {
    RcConfig config;
    config.window = 1;
    config.port_mtu = kPmtu;
    config.send_batch = 1 + draw(8);
    config.receive_batch = 1 + draw(8);
    QpAttributes attributes;
    attributes.access = kRemoteWrite;
    attributes.path_mtu = kPmtu;
    attributes.rq_psn = attributes.sq_psn = {0xFF'FFFE};  // wraps after two
    attributes.queue_key = kKey;
    for (int i = 0; i < 2; ++i) cards_.emplace_back(config, attributes, kAll, settings.service);
    for (const Side side : {kA, kB}) {
        Card& card = cards_[side];
        card.connect(cards_[other(side)].qp);
        std::generate_n(card.memory.begin(), kSent, [this] { return static_cast<std::uint8_t>(random_()); });
        next_free_[side] = Card::kBase + kSent;
        card.on_cqe = [this, side](const Completion& c) { on_cqe(side, c); };
        card.on_place = [this, side](const Placement& p) { on_place(side, p); };
        card.on_complete = [this, side](const Completion& c) {
            if (!c.receive) return;
            Watch& w = watches_[side];
            const Message& m = watches_[other(side)].plan[w.message];
            expect(w.came == m.packets && takes_receive(m.wqe.verb), "V-U1: a receive ends, and no message is whole");
            w.completed.push_back(w.message);
        };
    }
    for (const Side side : {kA, kB}) plan(side);
    for (const Side side : {kA, kB}) {
        if (settings.late) continue;
        for (const ReceiveSges& sges : watches_[side].receives) cards_[side].post_receive(sges);
        watches_[side].receives_posted = static_cast<std::uint32_t>(watches_[side].receives.size());
    }
}

void UnreliableRun::plan(Side side) {
    Watch& w = watches_[side];
    const std::uint32_t extra = is_datagram() ? kGrhBytes : 0;
    const std::uint32_t longest = is_datagram() ? kPmtu : 4 * kPmtu;
    const auto room = [&](Side at, std::uint32_t bytes) {
        const std::uint64_t begin = next_free_[at];
        next_free_[at] += bytes;
        return begin;
    };
    for (std::uint32_t n = 1 + draw(10); n != 0; --n) {
        Message m;
        m.wqe.verb = is_datagram() ? kOfUd.at(draw(2)) : kOfUc.at(draw(4));
        m.wqe.signaled = draw(3) != 0;
        m.bytes = draw(3) == 0 ? draw(3) : draw(longest + 1);
        m.packets = packets_of(m.bytes, kPmtu);
        m.local = Card::kBase + draw(kSent - m.bytes);
        const std::uint32_t half = draw(m.bytes + 1);
        m.wqe.sges = {{m.local, half, cards_[side].key}, {m.local + half, m.bytes - half, cards_[side].key}};
        m.wqe.immediate_or_key = 1000 + n;
        if (is_datagram()) {
            const std::uint32_t kind = draw(4);
            m.wrong_key = kind == 0;
            const std::uint32_t key = kind == 0 ? kKey + 1 : kind == 1 ? kOwnQueueKey : kKey;
            set_destination(m.wqe, {cards_[side].attributes.peer, cards_[other(side)].qp, key});
        } else {
            m.remote = room(other(side), m.bytes);
            m.wqe.remote_address = m.remote;
            m.wqe.remote_key = cards_[other(side)].key;
        }
        w.plan.push_back(m);
        // Copies take receives, too.
        for (std::uint32_t copies = settings_.faults ? 4 : 1; copies != 0 && takes_receive(m.wqe.verb); --copies) {
            const std::uint32_t bytes = longest + extra;
            const std::uint64_t at = room(other(side), bytes);
            const std::uint32_t part = draw(bytes + 1);
            const std::uint32_t key = cards_[other(side)].key;
            watches_[other(side)].receives.push_back({{at, part, key}, {at + part, bytes - part, key}});
        }
    }
}

std::string UnreliableRun::run() {
    constexpr std::uint32_t kSteps = 16;
    std::array<std::uint32_t, kSteps> order{};
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint64_t n = 0; breach_.empty(); ++n) {
        if (n == 100'000) return "it does not end";
        std::ranges::shuffle(order, random_);
        if (!std::ranges::any_of(order, [this](std::uint32_t which) { return step(which); })) break;
    }
    if (breach_.empty()) check_end();
    for (const Side side : {kA, kB}) {
        received += watches_[side].received;
        dropped += cards_[side].rc.count(RcCount::dropped_messages);
        bad_queue_keys += cards_[side].rc.count(RcCount::bad_queue_keys);
    }
    return breach_;
}

bool UnreliableRun::step(std::uint32_t which) {
    const Side side = which % 2 == 0 ? kA : kB;
    Card& card = cards_[side];
    Watch& w = watches_[side];
    switch (which / 2) {
        case 0:
            if (w.posted == w.plan.size()) return false;
            expect(card.post({}, w.plan[w.posted++].wqe), "a post is refused");
            return true;
        case 1:
            if (w.receives_posted == w.receives.size() || draw(3) != 0) return false;
            card.post_receive(w.receives[w.receives_posted++]);
            return true;
        case 2: return card.read_wqes({});
        case 3: return card.post_one({});
        case 4: return card.take_by_mac({});
        case 5: return transmit(side);
        case 6: return deliver(side);
        default: return fault(side);
    }
}

bool UnreliableRun::transmit(Side side) {
    expect(!cards_[side].transmit({}, Lane::answer), "an answer of UC or UD");
    auto flight = cards_[side].transmit({}, Lane::request);
    if (!flight) return false;
    ++packets;
    wires_[side].push_back(std::move(*flight));
    return true;
}

bool UnreliableRun::deliver(Side from) {
    auto& wire = wires_[from];
    if (wire.empty()) return false;
    const Flight& f = wire.front();
    const Message& m = watches_[from].plan[f.wqe];
    Watch& w = watches_[other(from)];
    const Watch before = w;
    // Its place in its message: a datagram has but one, and those of UC count from the message's first PSN.
    std::uint32_t at = 0;
    if (!is_datagram()) {
        for (std::uint32_t i = 0; i < f.wqe; ++i) at += watches_[from].plan[i].packets;
        at = distance(Psn{0xFF'FFFE} + at, f.header.psn);
    }
    const bool goes_on = w.message == f.wqe && w.came == at;
    w.message = f.wqe;
    w.came = at == 0 || goes_on ? at + 1 : 0;
    if (!cards_[other(from)].take({}, f)) {
        w = before;
        return true;  // it has asked for receives
    }
    if (w.came == m.packets && !m.wrong_key) {
        ++whole;
        if (takes_receive(m.wqe.verb)) {
            ++w.should_end;
        } else {
            w.executed.push_back(f.wqe);
        }
    }
    if (w.came == m.packets) w.came = 0;  // it is over
    wire.pop_front();
    return true;
}

/// The first frame of this wire is lost, copied, or overtaken.
bool UnreliableRun::fault(Side from) {
    auto& wire = wires_[from];
    if (!settings_.faults || wire.empty() || draw(12) != 0) return false;
    const Flight first = wire.front();
    const std::uint32_t kind = draw(3);
    if (kind != 1) wire.pop_front();
    if (kind != 0) wire.insert(wire.begin() + draw(static_cast<std::uint32_t>(wire.size()) + 1), first);
    return true;
}

void UnreliableRun::on_place(Side side, const Placement& p) {
    Watch& w = watches_[side];
    const Message& m = watches_[other(side)].plan[w.message];
    expect(w.came != 0 && !m.wrong_key, "V-U1: a packet of no message is placed");
    const std::uint32_t offset = (w.came - 1) * kPmtu;
    std::uint32_t length = std::min(m.bytes - offset, kPmtu);
    if (is_datagram()) length += kGrhBytes;
    std::uint32_t sum = 0;
    for (const Segment& s : p.to) sum += s.length;
    expect(sum == length && p.with_grh == is_datagram() && !p.of_request, "V-I1: another length is placed");
    if (m.wqe.verb == Verb::write || m.wqe.verb == Verb::write_imm) {
        expect(p.to == Segments{{m.remote + offset, length}}, "V-I1: a WRITE goes elsewhere");
        return;
    }
    // The receive WQE that is next to end.
    const Range room{w.receives[w.completed.size()][0].address, bytes_of(w.receives[w.completed.size()])};
    std::uint64_t at = room.address + offset;
    for (const Segment& s : p.to) {
        expect(s.address == at && at + s.length <= room.address + room.length, "V-I1: outside the receive WQE");
        at += s.length;
    }
}

bool UnreliableRun::written(Side from, const Message& m) {
    return std::memcmp(cards_[from].at(m.local), cards_[other(from)].at(m.remote), m.bytes) == 0;
}

void UnreliableRun::on_cqe(Side side, const Completion& c) {
    Watch& w = watches_[side];
    expect(c.status == Status::success, "V-I10: a failure without a cause");
    if (c.receive) return check_receive(side, c);
    while (w.ended < c.index) {
        expect(w.ended < w.plan.size() && !w.plan[w.ended].wqe.signaled, "V-I7: a WQE has no CQE");
        ++w.ended;
    }
    expect(c.index == w.ended && w.ended < w.plan.size(), "V-I7: two CQEs of a WQE, or out of order");
    if (breach_.empty()) expect(w.plan[w.ended].wqe.signaled, "V-I7: a CQE that was not asked for");
    ++w.ended;
}

void UnreliableRun::check_receive(Side side, const Completion& c) {
    Watch& w = watches_[side];
    expect(c.index == w.received, "V-I2: receive WQEs out of order");
    if (!breach_.empty()) return;
    const Message& m = watches_[other(side)].plan[w.completed[w.received++]];
    const bool immediate = m.wqe.verb == Verb::send_imm || m.wqe.verb == Verb::write_imm;
    const std::uint32_t extra = is_datagram() ? kGrhBytes : 0;
    expect(c.verb == m.wqe.verb && c.bytes == m.bytes + extra, "V-I2: a receive of another message");
    expect(c.immediate_or_key == (immediate ? m.wqe.immediate_or_key : 0), "V-I2: a wrong immediate");
    expect(c.grh == is_datagram() && c.from == (is_datagram() ? cards_[other(side)].qp : Qpn{}), "V-U2: from whom");
    if (m.wqe.verb == Verb::write_imm) return expect(written(other(side), m), "V-I6: a receive before its payload");
    Card& card = cards_[side];
    const std::uint8_t* const got = card.at(w.receives[c.index][0].address);
    expect(std::all_of(got, got + extra, [](std::uint8_t b) { return b == Card::kInPlaceOfGrh; }),
           "V-U2: no addresses");
    expect(std::memcmp(got + extra, cards_[other(side)].at(m.local), m.bytes) == 0,
           "V-I6: a receive before its payload");
}

void UnreliableRun::check_end() {
    for (const Side side : {kA, kB}) {
        Watch& w = watches_[side];
        const Qp& qp = cards_[side].state();
        for (; w.ended < w.plan.size(); ++w.ended) expect(!w.plan[w.ended].wqe.signaled, "V-I7: a WQE does not end");
        expect(qp.requester.queue.empty() && qp.leaving == 0 && cards_[side].at_rest(), "V-I11: something is left");
        expect(qp.state == QpState::rts, "V-I11: not in RTS");
        expect(cards_[side].rc.next_deadline() == kEndOfTime, "V-I11: a timer runs");
        expect(w.received == w.completed.size(), "V-I7: a receive does not end");
        const bool all = settings_.late ? w.received <= w.should_end : w.received == w.should_end;
        expect(all, "V-U1: a message that came whole is lost, or one comes oftener than the wire has brought it");
        if (!settings_.faults && !settings_.late && !is_datagram()) {
            const auto takers = std::ranges::count_if(watches_[other(side)].plan,
                                                      [](const Message& m) { return takes_receive(m.wqe.verb); });
            expect(w.received == takers, "V-U1: something is lost without a fault");
        }
        const std::size_t taken = w.received + (qp.responder.receive ? 1 : 0);
        const std::size_t left = cards_[side].receives.size() + cards_[side].rc.receive_queue(cards_[side].rq).ready();
        expect(taken + left == w.receives_posted, "V-I2: a receive WQE has gone");
        for (const std::uint32_t m : w.executed) {
            expect(written(other(side), watches_[other(side)].plan[m]), "V-U1: a WRITE that came whole is not there");
        }
    }
}

}  // namespace rnicsim::rc
