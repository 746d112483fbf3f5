#include "testbench/explore/world.h"

#include "testbench/explore/digest.h"
#include "testbench/explore/hands.h"

#include <algorithm>

namespace rnicsim::explore {
namespace {

constexpr Cycle kNow{0};  // of every input except timers: bounds.cpp

Action step(Step what, unsigned end, std::size_t which = 0) {
    return {what, static_cast<std::uint8_t>(end), static_cast<std::uint8_t>(which)};
}

Cycle deadline_of(const Transfer& t, Step timer) {
    switch (timer) {
        case Step::request_timer: return t.request_deadline;
        case Step::data_timer: return t.data_deadline;
        case Step::release_timer: return t.release_deadline;
        default: return t.idle_deadline;
    }
}

Repeater repeater(Role role) { return role == Role::initiator ? Repeater::initiator : Repeater::responder; }

}  // namespace

World::World(const Setting& setting)
    : setting_(&setting),
      ends_{End(setting.transport), End(setting.transport)},
      progress_(setting.plans.size()),
      faults_left_(setting.bounds.faults) {}

bool World::quiet() const {
    return std::ranges::all_of(ends_, [](const End& e) {
        return e.sent.empty() && e.staged.empty() && e.asked.empty() && e.verdicts.empty() && !e.draining &&
               !e.logic.has_data();
    });
}

bool World::over() const {
    const auto all_over = [](const Progress& p) {
        return p.outcome != Outcome::none && !p.running && !p.region_known && !p.registered && !p.retry;
    };
    return quiet() && std::ranges::all_of(progress_, all_over) && std::ranges::all_of(ends_, [](const End& e) {
               return e.logic.table().active().empty() && e.buffer.used() == 0;
           });
}

const Transfer* World::peer_of(unsigned end, const Transfer& t) const {
    const ConnectionTable& other = ends_[1 - end].logic.table();
    for (const ConnectionTable::Index i : other.active()) {
        const Transfer& peer = other[i];
        if (peer.tid == t.tid && peer.role != t.role && peer.phase != Phase::given_up) return &peer;
    }
    return nullptr;
}

std::uint32_t World::transfer_of(unsigned end, const Transfer& t) const {
    return find_transfer(*setting_, t.role == Role::initiator ? end : 1 - end, t.tid);
}

std::uint32_t World::cost(const Action& action) const {
    if (is_link_fault(action.step)) return 1;
    if (!is_timer(action.step)) return 0;
    const Transfer& t = ends_[action.end].logic.table()[action.which];
    if (t.phase == Phase::given_up && setting_->bounds.forgetful) return 0;
    if (!quiet()) return 1;
    if (action.step == Step::idle_timer) return peer_of(action.end, t) != nullptr ? 1 : 0;
    // Both ends of a read repeat themselves, after a data timer or a release timer. Without new data they do so in
    // turn: no end can use up its tries before the other one has had its first.
    const bool repeats = action.step == Step::data_timer || action.step == Step::release_timer;
    if (!repeats || t.operation == Operation::write) return 0;
    const Transfer* const peer = peer_of(action.end, t);
    const bool peer_waits = peer != nullptr && (peer->data_deadline != kNever || peer->release_deadline != kNever);
    return peer_waits && progress_[transfer_of(action.end, t)].repeater == repeater(t.role) ? 1 : 0;
}

void World::timers(unsigned end, std::vector<Action>& out) const {
    const ConnectionTable& table = ends_[end].logic.table();
    for (const ConnectionTable::Index entry : table.active()) {
        const Transfer& t = table[entry];
        for (const Step timer : {Step::request_timer, Step::data_timer, Step::release_timer, Step::idle_timer}) {
            const Action action = step(timer, end, entry);
            if (deadline_of(t, timer) == kNever) continue;
            const std::uint32_t faults = cost(action);
            // That an idle timeout outlasts all late frames of a transfer that was given up is what the protocol rests
            // on.
            if (faults <= faults_left_ && (t.phase != Phase::given_up || faults == 0)) out.push_back(action);
        }
    }
}

void World::actions(std::vector<Action>& out) const {
    out.clear();
    for (unsigned e = 0; e < ends_.size(); ++e) {
        const End& end = ends_[e];
        const auto own = std::ranges::count(setting_->plans, e, &Plan::initiator);
        if (end.started < own) out.push_back(step(Step::start, e));
        if (end.staged.size() < setting_->bounds.staged && end.logic.has_data()) out.push_back(step(Step::fetch, e));
        if (!end.staged.empty()) out.push_back(step(Step::transmit, e));
        if (!end.sent.empty()) out.push_back(step(Step::deliver, e));
        if (end.draining) out.push_back(step(Step::drained, e));
        if (!end.asked.empty()) {
            out.push_back(step(Step::registered, e));
            const Progress& p = progress_[end.asked.front().transfer];
            if (wanted(end.asked.front()) && !p.registered && p.failures < setting_->bounds.failures) {
                out.push_back(step(Step::not_registered, e));
            }
        }
        if (!end.verdicts.empty()) out.push_back(step(Step::verdict, e));
        timers(e, out);
        if (faults_left_ == 0 || end.sent.empty()) continue;
        for (const Step fault : {Step::lose, Step::duplicate}) out.push_back(step(fault, e));
        if (end.sent.size() > 1) out.push_back(step(Step::duplicate_late, e));
        if (end.sent.size() > 1) out.push_back(step(Step::overtaken, e));
        if (end.sent.size() > 2) out.push_back(step(Step::overtaken_by_all, e));
    }
    for (std::size_t i = 0; i < progress_.size(); ++i) {
        const Progress& p = progress_[i];
        if (!p.retry) continue;
        out.push_back(step(Step::retry_succeeds, setting_->plans[i].responder(), i));
        if (p.failures < setting_->bounds.failures) {
            out.push_back(step(Step::retry_fails, setting_->plans[i].responder(), i));
        }
    }
}

std::string World::apply(const Action& action, Lines* notes) {
    const bool arrival = action.step == Step::deliver;
    Hands hands(*this, arrival ? 1U - action.end : action.end, notes);
    faults_left_ -= cost(action);
    act(action, hands);
    if (setting_->bounds.fetch_at_once) {
        for (const unsigned e : {0U, 1U}) {
            Hands fetching(*this, e, notes);
            while (ends_[e].staged.size() < setting_->bounds.staged && ends_[e].logic.has_data()) fetch(e, fetching);
            hands.breach(fetching.breach());
        }
    }
    const bool no_fault = faults_left_ == setting_->bounds.faults && quiet();
    for (const End& end : ends_) {
        const ConnectionTable& table = end.logic.table();
        for (const ConnectionTable::Index i : table.active()) {
            const Transfer& t = table[i];
            const DataSender& sender = t.sender;
            if (sender.next_new() - sender.oldest_unacknowledged() > setting_->bounds.window) {
                hands.breach("more data is outstanding than the window allows");
            }
            // PROTOCOL.md 6.8: what the full buffer has dropped is sent again at once.
            if (setting_->bounds.prompt && no_fault && t.established && t.sends_data() && sender.outstanding()) {
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
            command.length = plan->length;
            command.sba = plan->sba;
            command.dba = plan->dba;
            end.logic.on_command(kNow, command, hands);
            break;
        }
        case Step::fetch: fetch(action.end, hands); break;
        case Step::transmit: transmit(action.end, hands); break;
        case Step::deliver: deliver(action.end, hands); break;
        case Step::drained:
            end.draining = false;
            for (std::uint32_t i = 0; i < end.buffer.slot_count(); ++i) {
                if (end.buffer.slot(i).draining) end.buffer.left(i);
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
        case Step::lose: end.sent.erase(end.sent.begin()); break;
        case Step::duplicate: end.sent.insert(end.sent.begin(), Flight(end.sent.front())); break;
        case Step::duplicate_late: end.sent.push_back(Flight(end.sent.front())); break;
        case Step::overtaken: std::iter_swap(end.sent.begin(), end.sent.begin() + 1); break;
        case Step::overtaken_by_all: std::rotate(end.sent.begin(), end.sent.begin() + 1, end.sent.end()); break;
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

void World::deliver(unsigned from, Hands& hands) {
    const Flight flight = ends_[from].sent.front();
    ends_[from].sent.erase(ends_[from].sent.begin());
    End& here = ends_[1 - from];
    const bool to_responder = flight.header.from_initiator();
    const Progress& p = progress_[flight.transfer];
    const bool is_over = to_responder
                             ? p.responder_ended || here.logic.table().gave_up(key_of(Role::responder, flight.header))
                             : p.outcome != Outcome::none;
    hands.take_in_hand(flight);
    if (!is_over) {
        here.logic.on_frame(kNow, flight.header, hands);
        return;
    }
    hands.expect_nothing();
    const Digest before = digest(here, setting_->bounds.duplicate_acks);
    here.logic.on_frame(kNow, flight.header, hands);
    if (digest(here, setting_->bounds.duplicate_acks) != before)
        hands.breach("a frame of a transfer that is over changes something");
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
    Progress& p = progress_[transfer_of(action.end, t)];
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
        p.retry = !success && setting_->bounds.method == Method::dynamic;
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
    command.generation = verdict.about.generation;
    ends_[end].logic.on_command(kNow, command, hands);
}

}  // namespace rnicsim::explore
