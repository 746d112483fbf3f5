// SPDX-License-Identifier: Apache-2.0
// What a step does: the real code is called, and what it does is checked.
#include "testbench/explore/digest.h"
#include "testbench/explore/hands.h"
#include "testbench/explore/world.h"

#include <algorithm>

namespace rnicsim::explore {
namespace {

constexpr Cycle kNow{0};  // of every input except timers: bounds.cpp

/// A fault of the first frame in flight.
void disturb(std::vector<Flight>& flights, Step fault) {
    switch (fault) {
        case Step::lose: flights.erase(flights.begin()); break;
        case Step::duplicate: flights.insert(flights.begin(), Flight(flights.front())); break;
        case Step::duplicate_late: flights.push_back(Flight(flights.front())); break;
        case Step::overtaken: std::iter_swap(flights.begin(), flights.begin() + 1); break;
        default: std::rotate(flights.begin(), flights.begin() + 1, flights.end()); break;  // by all
    }
}

}  // namespace

std::string World::apply(const Action& action, Lines* notes) {
    const bool arrival = action.step == Step::deliver;
    Hands hands(*this, arrival ? action.which : action.end, notes);
    faults_left_ -= cost(action);
    try {
        act(action, hands);
        if (setting_->bounds.table != 0) forget();
        if (setting_->bounds.fetch_at_once) fetch_all(hands, notes);
    } catch (const std::logic_error& error) {  // of a wrong line: it names an end or a transfer that does not exist
        hands.breach(error.what());
    }
    const bool prompt = setting_->bounds.prompt && faults_left_ == setting_->bounds.faults;
    for (unsigned e = 0; e < ends_.size(); ++e) {
        const ConnectionTable& table = ends_[e].logic.table();
        for (const ConnectionTable::Index i : table.active()) {
            const Transfer& t = table[i];
            const DataSender& sender = t.sender;
            if (sender.next_new() - sender.oldest_unacknowledged() > setting_->bounds.window) {
                hands.breach("more data is outstanding than the window allows");
            }
            // PROTOCOL.md 6.8: what the full buffer has dropped is sent again at once.
            if (prompt && t.established && t.sends_data() && sender.outstanding() && quiet(e, raw(t.peer))) {
                hands.breach("nothing was lost, and data waits for its timer");
            }
        }
    }
    return hands.breach();
}

void World::act(const Action& action, Hands& hands) {
    End& end = ends_[action.end];
    switch (action.step) {
        case Step::start: {
            const auto is_next = [&](const Plan& p) { return p.initiator == action.end && p.number == end.started; };
            const auto plan = std::ranges::find_if(setting_->plans, is_next);
            progress_[static_cast<std::size_t>(plan - setting_->plans.begin())].running = true;
            ++end.started;
            Command command;
            command.code = plan->operation == Operation::write ? CommandCode::rdma_write : CommandCode::rdma_read;
            command.tid = plan->tid();
            command.peer = peer(plan->responder);
            command.length = plan->length;
            command.sba = plan->sba;
            command.dba = plan->dba;
            end.logic.on_command(kNow, command, hands);
            break;
        }
        case Step::fetch: fetch(action.end, hands); break;
        case Step::transmit: transmit(action.end, hands); break;
        case Step::deliver: deliver(wire_of(wires_, action.end, action.which), hands); break;
        case Step::drained:
            end.draining &= ~(1U << action.which);
            for (std::uint32_t i = 0; i < end.buffer.slot_count(); ++i) {
                const IndirectBuffer::Slot& slot = end.buffer.slot(i);
                if (slot.draining && slot.of.peer == peer(action.which)) end.buffer.left(i);
            }
            break;
        case Step::registered:
        case Step::not_registered: {
            const Question question = end.asked.front();
            end.asked.erase(end.asked.begin());
            attempt(action.end, question, action.step == Step::registered, true, hands);
            break;
        }
        case Step::retry_succeeds:
        case Step::retry_fails:
            progress_[action.which].retry = false;
            attempt(action.end, {action.which, progress_[action.which].generation}, action.step == Step::retry_succeeds,
                    false, hands);
            break;
        case Step::verdict: {
            const Verdict verdict = end.verdicts.front();
            end.verdicts.erase(end.verdicts.begin());
            hand_over(action.end, verdict, hands);
            break;
        }
        case Step::request_timer:
        case Step::data_timer:
        case Step::release_timer:
        case Step::idle_timer: expire(action, hands); break;
        case Step::lose:
        case Step::duplicate:
        case Step::duplicate_late:
        case Step::overtaken:
        case Step::overtaken_by_all: disturb(wire_of(wires_, action.end, action.which).flights, action.step); break;
    }
}

void World::fetch_all(Hands& hands, Lines* notes) {
    for (unsigned e = 0; e < ends_.size(); ++e) {
        while (ends_[e].staged.size() < setting_->bounds.staged && ends_[e].logic.has_data()) {
            Hands fetching(*this, e, notes);
            fetch(e, fetching);
            hands.breach(fetching.breach());
        }
    }
}

void World::fetch(unsigned which, Hands& hands) {
    End& end = ends_[which];
    const std::optional<DataJob> job = end.logic.next_data(kNow);
    if (!job) return hands.breach("has_data() promises data, next_data() has none");
    hands.read(*job);
    end.staged.push_back(*job);
}

void World::transmit(unsigned which, Hands& hands) {
    End& end = ends_[which];
    const DataJob job = end.staged.front();
    end.staged.erase(end.staged.begin());
    hands.read(job);  // its payload may be read from memory as late as now
    hands.launch(job.header);
    end.logic.on_transmitted(kNow, job.entry, hands);
}

void World::deliver(Wire& wire, Hands& hands) {
    Flight flight = wire.flights.front();
    wire.flights.erase(wire.flights.begin());
    flight.header.peer = peer(wire.from);  // known by the source address from here on
    End& here = ends_[wire.to];
    const TransferKey key = key_of_received(flight.header);
    Progress& p = progress_[flight.transfer];
    const bool is_over =
        key.role == Role::responder ? p.responder_ended || here.logic.table().gave_up(key) : p.outcome != Outcome::none;
    hands.take_in_hand(flight);
    const std::uint32_t limit = setting_->bounds.duplicate_acks;
    if (is_over) {
        hands.expect_nothing();
        const Digest before = digest(here, limit);
        here.logic.on_frame(kNow, flight.header, hands);
        if (digest(here, limit) != before) hands.breach("a frame of a transfer that is over changes something");
        return;
    }
    const auto counted = [&here](TransportCount what) { return here.logic.count(what); };
    const std::uint64_t turned_away = counted(TransportCount::table_full);
    const std::uint64_t refused = counted(TransportCount::buffer_full);
    const Digest before = digest_of_others(here, key.peer, limit);
    here.logic.on_frame(kNow, flight.header, hands);
    if (digest_of_others(here, key.peer, limit) != before) hands.breach("a frame changes something of another peer");
    if (counted(TransportCount::table_full) != turned_away) p.turned_away = true;
    if (counted(TransportCount::buffer_full) != refused && !may_refuse(here, key.peer)) {
        hands.breach("the indirect buffer refuses a frame for which it has room");
    }
}

bool World::quota_used_up(const End& end, Peer peer) const {
    if (setting_->bounds.rules.buffer_admission != "per_initiator") return false;
    std::uint32_t held = 0;
    for (std::uint32_t i = 0; i < end.buffer.slot_count(); ++i) {
        const IndirectBuffer::Slot& slot = end.buffer.slot(i);
        if (slot.length != 0 && slot.of.peer == peer) ++held;
    }
    return held >= setting_->transport.buffer_quota;
}

bool World::may_refuse(const End& end, Peer peer) const {
    return end.buffer.full() || quota_used_up(end, peer) || setting_->bounds.rules.buffer_admission == "in_order";
}

bool World::remembered(const Plan& plan) const {
    const TransportLogic& logic = ends_[plan.responder].logic;
    const TransferKey key = plan.key_at(plan.responder);
    const auto& released = std::get<0>(logic.memory());
    return logic.table().gave_up(key) || std::ranges::find(released, key) != released.end();
}

/// A late frame comes while its transfer is remembered (PROTOCOL.md 10.3), and changes nothing then: what is still in
/// flight counts as having come before.
void World::forget() {
    for (std::uint32_t i = 0; i < progress_.size(); ++i) {
        Progress& p = progress_[i];
        const Plan& plan = setting_->plans[i];
        if (!p.responder_ended || remembered(plan)) continue;
        p.responder_ended = false;
        p.silenced = p.silenced || p.running;
        std::erase_if(wire_of(wires_, plan.initiator, plan.responder).flights,
                      [i](const Flight& flight) { return flight.transfer == i; });
    }
}

void World::expire(const Action& action, Hands& hands) {
    TransportLogic& logic = ends_[action.end].logic;
    const Transfer& t = logic.table()[action.which];
    const Cycle now = deadline_of(t, action.step);
    for (const Step earlier : {Step::idle_timer, Step::request_timer, Step::data_timer, Step::release_timer}) {
        if (earlier == action.step) break;
        if (deadline_of(t, earlier) <= now) return hands.breach("the timers are not apart");  // bounds.cpp
    }
    // Explains an error, if one follows: the responder has forgotten a transfer that its initiator still wants.
    Progress& p = progress_[setting_->find(action.end, t.key())];
    if (action.step == Step::idle_timer && t.phase != Phase::given_up && peer_of(action.end, t) != nullptr) {
        p.silenced = true;
    }
    if (t.phase == Phase::given_up) p.responder_ended = false;  // forgotten: the TID may be used again
    const bool repeats = action.step == Step::data_timer || action.step == Step::release_timer;
    if (repeats && t.operation == Operation::read) p.repeater = repeater(t.role);
    logic.on_timer(now, action.which, hands);
}

bool World::wanted(const Question& question) const {
    const Progress& p = progress_[question.transfer];
    return p.region_known && p.generation == question.generation;
}

void World::attempt(unsigned end, const Question& about, bool success, bool asked, Hands& hands) {
    Progress& p = progress_[about.transfer];
    if (!wanted(about)) return;  // given up already
    if (p.registered) {
        if (!asked) return;
        success = true;  // done already: the verdict is repeated
    } else {
        ++p.attempts;
        p.registered = success;
        if (!success) ++p.failures;
        p.retry = !success && setting_->method_of(end) == Method::dynamic;
    }
    hands.note(success ? "has registered the region" : "could not register the region");
    if (!success && !asked) return;
    if (setting_->bounds.forgetful) {
        ends_[end].verdicts.push_back({about, success});
    } else {
        hand_over(end, {about, success}, hands);
    }
}

void World::hand_over(unsigned end, const Verdict& verdict, Hands& hands) {
    Command command;
    command.code = verdict.valid ? CommandCode::registered : CommandCode::not_registered;
    command.tid = setting_->plans[verdict.about.transfer].tid();
    command.peer = peer(setting_->plans[verdict.about.transfer].initiator);
    command.generation = verdict.about.generation;
    ends_[end].logic.on_command(kNow, command, hands);
}

}  // namespace rnicsim::explore
