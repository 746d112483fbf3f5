// SPDX-License-Identifier: Apache-2.0
#include "testbench/workloads/messages/verbs_workload.h"

#include "model/rnic/rc/end/end_config.h"
#include "model/rnic/rc/end/verbs_end.h"
#include "testbench/kits/rc/rc_connection.h"
#include "testbench/records/report_clock.h"
#include "testbench/workloads/messages/message_sample.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rnicsim {
namespace {

constexpr std::uint32_t kQueueKey = 0x1111'1111;  // of all datagrams, as perftest has it
constexpr rc::Pd kPd{1};

}  // namespace

VerbsWorkload::VerbsWorkload(const RunConfig& config, const VerbsLayout& layout, VerbsObserver& observer)
    : config_(config), layout_(layout), observer_(observer) {
    by_qp_.resize(config.names.size());
    keys_of_hosts_.resize(config.names.size());
    shared_.resize(config.names.size());
    for (const VerbsLayout::Connection& plan : layout.connections) {
        Connection c(config, plan);
        if (c.item->verbs.outstanding != 0) {
            const bool first = connections_.empty() || connections_.back().plan->item != plan.item ||
                               connections_.back().plan->ends[0].host != plan.ends[0].host;
            if (first) turns_.emplace_back();
            c.turns = turns_.size() - 1;
            turns_.back().of.push_back(connections_.size());
        }
        connections_.push_back(c);
    }
    // The first connection to each responder, then the second: so all responders have work.
    for (Turns& turns : turns_)
        std::ranges::stable_sort(turns.of, {}, [&](std::size_t c) { return connections_[c].plan->number; });
    running_ = connections_.size();
}

VerbsDriver& VerbsWorkload::driver(const Connection& c, unsigned side) const {
    return verbs_end(*system_, c.plan->ends.at(side).host).host.driver;
}

Time VerbsWorkload::time(const Connection& c, unsigned side, Cycle now) const {
    return verbs_of(config_, c.plan->ends.at(side).host).host.clock.time(now);
}

void VerbsWorkload::attach(System& system) {
    system_ = &system;
    for (unsigned host = 0; host < config_.names.size(); ++host) {
        if (layout_.cqs[host].empty()) continue;
        VerbsEnd& end = verbs_end(system, host);
        end.host.driver.attach(programs_.emplace_back(*this, host));
        end.rnic.give_memory(layout_.lines[host]);
        for (std::uint32_t thread = 0; thread < layout_.cqs[host].size(); ++thread)
            end.host.driver.create_cq(layout_.cqs[host][thread], Thread{thread});
        if (const auto& shared = layout_.shared[host]) {
            const rc::Range buffer{shared->buffer.address, shared->buffer.bytes()};
            const std::uint32_t key =
                end.rnic.add_region(kPd, buffer, rc::kLocalWrite, verbs_of(config_, host).host.page);
            shared_[host].emplace(*shared, verbs_of(config_, host).host.srq_limit, host, key, end.host.driver,
                                  observer_);
        }
    }
    for (std::size_t i = 0; i < connections_.size(); ++i) set_up(system, i);
}

void VerbsWorkload::set_up(System& system, std::size_t number) {
    Connection& c = connections_[number];
    const TrafficConfig& item = *c.item;
    const rc::Access all = rc::kLocalWrite | rc::kRemoteWrite | rc::kRemoteRead | rc::kRemoteAtomic;
    const bool lets_read = item.verbs.any([](rc::Verb verb) { return verb == rc::Verb::read; });
    for (unsigned side = 0; side < 2; ++side) {
        const VerbsLayout::End& plan = c.plan->ends.at(side);
        VerbsEnd& system_end = verbs_end(system, plan.host);
        End& end = c.ends[side];
        rc::QpInit init;
        init.service = item.verbs.service;
        init.pd = kPd;
        init.send_cq = init.receive_cq = rc::Cqn{plan.thread};  // each thread has one, made in this order
        const std::optional<SharedReceives>& shared = shared_[plan.host];
        init.receive_queue = end.receives =
            shared ? shared->queue() : system_end.host.driver.create_receive_queue(plan.receives, false);
        end.qp = system_end.host.driver.create_qp(init, plan.sends);
        const auto add_region = [&](const rc::Range& range) {
            return system_end.rnic.add_region(kPd, range, all, verbs_of(config_, plan.host).host.page);
        };
        std::optional<std::uint32_t>& of_host = keys_of_hosts_[plan.host];
        if (!item.verbs.region_of_host) {
            end.key = add_region(plan.buffers());
        } else {
            if (!of_host) of_host = add_region(layout_.programs[plan.host]);
            end.key = *of_host;
        }
        std::vector<Place>& places = by_qp_[plan.host];
        if (end.qp.n >= places.size()) places.resize(end.qp.n + 1);
        places[end.qp.n] = {number, side};
        observer_.connected(number, side, end.qp);
        for (std::uint32_t slot = 0; slot < plan.out.slots && lets_read; ++slot) {
            fill(system_end.host.driver.memory(plan.out.slot(slot), item.size), message_key(number, side, slot));
        }
        for (std::uint32_t m = 0; m < plan.prepared; ++m) {
            system_end.host.driver.prepare_receive(end.receives,
                                                   {rc::Sge{plan.received.slot(m), receive_bytes(item), end.key}});
        }
    }
    const std::array<rc::QpAttributes, 2> attributes = connect_qps(
        system, config_, {QpOfHost{c.plan->ends[0].host, c.ends[0].qp}, QpOfHost{c.plan->ends[1].host, c.ends[1].qp}},
        {.path = item.verbs.path(), .queue_key = kQueueKey});
    for (unsigned side = 0; side < 2; ++side) {
        c.ends[side].pmtu = attributes.at(side).path_mtu;
        c.ends[side].psn = attributes.at(side).sq_psn;
    }
    if (in_turn(item) && item.verbs.operation == rc::Verb::write) watch_last_byte(c, 1, 0);
    const Time at = kReportClock.time(item.first_request(c.plan->ends[0].host));
    rests_until_ = std::max(rests_until_, at);
    driver(c, 0).call_at(verbs_of(config_, c.plan->ends[0].host).host.clock.edge(at), number);
}

void VerbsWorkload::start(Cycle now, std::uint64_t connection) {
    Connection& c = connections_[connection];
    post_more(c, now);
}

void VerbsWorkload::post_more(Connection& c, Cycle now) {
    if (c.turns != kAlone) return post_in_turn(turns_[c.turns], now);
    const TrafficConfig& item = *c.item;
    while (!c.over && c.ends[0].posted < item.transfers && c.ends[0].posted - c.ended < item.verbs.under_way())
        post(c, 0, now);
}

/// A connection that still waits in its next turn holds up the others: all are used alike.
void VerbsWorkload::post_in_turn(Turns& turns, Cycle now) {
    const VerbsTraffic& item = connections_[turns.of.front()].item->verbs;
    for (std::size_t done = 0; turns.open < item.outstanding && done < turns.of.size();) {
        Connection& c = connections_[turns.of[turns.next]];
        const bool has_more = !c.over && c.ends[0].posted < c.item->transfers;
        if (has_more && c.ends[0].posted - c.ended == item.depth) return;
        done = has_more ? 0 : done + 1;
        turns.next = (turns.next + 1) % turns.of.size();
        if (!has_more) continue;
        ++turns.open;
        post(c, 0, now);
    }
}

void VerbsWorkload::post(Connection& c, unsigned side, Cycle now) {
    const TrafficConfig& item = *c.item;
    const unsigned other = 1 - side;
    const VerbsLayout::End &here = c.plan->ends.at(side), &there = c.plan->ends.at(other);
    const std::uint32_t m = c.ends[side].posted++;
    const auto [verb, bytes] = c.kinds.at(m);
    ++open_;
    rc::SendWqe wqe;
    wqe.verb = verb;
    wqe.signaled = (m + 1) % item.verbs.signal_every == 0 || m + 1 == item.transfers;
    wqe.remote_key = c.ends[other].key;
    wqe.immediate_or_key = m;
    if (rc::is_atomic(wqe.verb)) {
        wqe.sges = {rc::Sge{here.in.slot(m), rc::kAtomicBytes, c.ends[side].key}};
        wqe.remote_address = there.word.address;
        const bool changes = c.kinds.changes(m);
        const std::uint32_t before = c.ends[side].atomics;  // each that changes it has added one
        c.ends[side].atomics += changes ? 1 : 0;
        wqe.compare = changes ? before : before + 1;
        wqe.swap_or_add = wqe.verb == rc::Verb::compare_swap ? before + 1 : 1;
    } else if (wqe.verb == rc::Verb::read) {
        wqe.sges = {rc::Sge{here.in.slot(m), bytes, c.ends[side].key}};
        wqe.remote_address = there.out.slot(m);
    } else {
        fill(driver(c, side).memory(here.out.slot(m), bytes), message_key(number(c), side, m));
        wqe.sges = {rc::Sge{here.out.slot(m), bytes, c.ends[side].key}};
        wqe.remote_address = there.in.slot(m);
    }
    if (item.verbs.service == roce::Service::datagram) {
        rc::set_destination(
            wqe, {Peer{static_cast<std::uint16_t>(there.host)}, c.ends[other].qp, rc::kOwnQueueKey, item.verbs.path()});
    }
    if (side == 0 && in_turn(item) && wqe.verb == rc::Verb::write) watch_last_byte(c, 0, m);
    const Time begins = time(c, side, driver(c, side).post_send(now, c.ends[side].qp, wqe));
    const std::uint32_t packets = rc::packets_of(bytes, c.ends[side].pmtu);
    const std::uint64_t place = rc::has_answer(verb)  ? here.in.slot(m)
                                : !is_send(verb)      ? there.in.slot(m)
                                : shared_[there.host] ? kUnknownPlace
                                                      : there.received.slot(c.ends[side].takers);
    if (rc::takes_receive(verb)) ++c.ends[side].takers;
    observer_.posted({number(c), side, m, verb, bytes, c.ends[side].psn, packets, place}, begins);
    c.ends[side].psn = c.ends[side].psn + packets;
    if (side != 0) return;
    record(c, m, begins);
}

VerbsWorkload::Place VerbsWorkload::place_of(unsigned host, rc::Qpn qp) const {
    const std::vector<Place>& places = by_qp_[host];
    return qp.n < places.size() ? places[qp.n] : Place{};
}

void VerbsWorkload::completed(unsigned host, Cycle now, const rc::Completion& completion) {
    const Place place = place_of(host, completion.qp);
    if (place.connection >= connections_.size()) throw std::logic_error("a completion of no QP");
    Connection& c = connections_[place.connection];
    const TrafficConfig& item = *c.item;
    End& end = c.ends[place.side];
    last_progress_ = std::max(last_progress_, time(c, place.side, now));
    observer_.completed(place.connection, place.side, completion, time(c, place.side, now));
    if (completion.status != rc::Status::success) return fails(c, place.side, now);
    if (completion.receive) {
        post_again(c, place.side, now, completion.index);
        if (in_turn(item)) arrived(c, place.side, now);
        return;
    }
    if (place.side == 0 && !in_turn(item)) {
        while (c.ended <= completion.index && !c.over) message_ends(c, c.ended, now, 0);
    }
    open_ -= completion.index + 1 - end.completed;
    end.completed = completion.index + 1;
    if (in_turn(item)) take_turn(c, place.side, now);
    if (place.side == 0 && !in_turn(item)) post_more(c, now);
}

void VerbsWorkload::post_again(const Connection& c, unsigned side, Cycle now, std::uint32_t index) {
    const VerbsLayout::End& plan = c.plan->ends.at(side);
    if (std::optional<SharedReceives>& shared = shared_[plan.host])
        return shared->ended(now, index, Thread{plan.thread});
    const rc::Sge sge{plan.received.slot(index), receive_bytes(*c.item), c.ends[side].key};
    driver(c, side).post_receive(now, c.ends[side].receives, {sge}, Thread{plan.thread});
}

void VerbsWorkload::noticed(Cycle now, std::size_t connection, unsigned side) {
    Connection& c = connections_[connection];
    observer_.seen(connection, side, c.ends[side].noticed++, time(c, side, now));
    if (side == 1) watch_last_byte(c, 1, c.ends[1].noticed);
    arrived(c, side, now);
}

/// Waits for the last byte of the peer's message `m`.
void VerbsWorkload::watch_last_byte(const Connection& c, unsigned side, std::uint32_t m) {
    const std::uint64_t last = c.plan->ends.at(side).in.slot(m) + c.kinds.at(m).bytes - 1;
    driver(c, side).watch(last, 2 * number(c) + side, Thread{c.plan->ends.at(side).thread});
}

void VerbsWorkload::arrived(Connection& c, unsigned side, Cycle now) {
    if (c.over) return;
    if (side == 0) message_ends(c, c.ended, now, 0);
    c.ends[side].due = side == 1 || !c.over;
    take_turn(c, side, now);
}

/// Its queue has room for one message: it waits for the completion of the one before.
void VerbsWorkload::take_turn(Connection& c, unsigned side, Cycle now) {
    End& end = c.ends[side];
    if (!end.due || end.completed != end.posted) return;
    end.due = false;
    post(c, side, now);
}

void VerbsWorkload::message_ends(Connection& c, std::uint32_t id, Cycle now, unsigned side) {
    Sample& sample = c.samples[id];
    const Time at = time(c, side, now);
    sample.status = 0;
    sample.end = in_turn(*c.item) ? sample.start + Time{(at - sample.start).ps / 2} : at;
    last_progress_ = last_end_ = std::max(last_end_, at);
    if (c.turns != kAlone) --turns_[c.turns].open;
    observer_.ended(number(c), ++c.ended, at);
    if (c.ended != c.item->transfers) return;
    c.over = true;
    --running_;
}

/// The QP is in ERR: what it has posted is flushed, and nothing more is.
void VerbsWorkload::fails(Connection& c, unsigned side, Cycle now) {
    End& end = c.ends[side];
    open_ -= end.posted - std::exchange(end.completed, end.posted);
    if (c.over) return;
    if (c.turns != kAlone) turns_[c.turns].open -= c.ends[0].posted - c.ended;
    for (std::uint32_t id = c.ends[0].posted; id < c.item->transfers; ++id)  // are never posted
        record(c, id, time(c, side, now));
    c.over = true;
    --running_;
    if (c.turns != kAlone) post_in_turn(turns_[c.turns], now);
}

void VerbsWorkload::end_turns(Time now) {
    for (Connection& c : connections_) {
        if (c.over || !in_turn(*c.item) || c.item->verbs.is_reliable()) continue;
        for (unsigned side = 0; side < 2; ++side) {
            fails(c, side, verbs_of(config_, c.plan->ends.at(side).host).host.clock.edge(now));
        }
    }
}

std::size_t VerbsWorkload::samples() const {
    std::size_t all = 0;
    for (const Connection& c : connections_) all += c.item->transfers;
    return all;
}

void VerbsWorkload::record_in(std::span<Sample> samples) {
    for (Connection& c : connections_) {
        c.samples = samples.first(c.item->transfers);
        samples = samples.subspan(c.item->transfers);
    }
}

void VerbsWorkload::record(Connection& c, std::uint32_t id, Time ready) {
    const MessageKind kind = c.kinds.at(id);
    Sample& of = c.samples[id];
    of.id = id;
    of.initiator = static_cast<std::uint16_t>(c.plan->ends[0].host);
    of.responder = static_cast<std::uint16_t>(c.plan->ends[1].host);
    of.item = static_cast<std::uint16_t>(c.plan->item);
    of.bytes = kind.bytes;
    of.qp = c.plan->ends[0].qp;
    of.operation = static_cast<std::uint8_t>(kind.verb);
    of.status = kMessageLost;
    of.start = of.end = ready;
}

void VerbsWorkload::end_records() {
    for (Connection& c : connections_) {
        if (c.over) continue;  // all of them are there
        for (std::uint32_t id = c.ends[0].posted; id < c.item->transfers; ++id) record(c, id, Time{});
    }
}

}  // namespace rnicsim
