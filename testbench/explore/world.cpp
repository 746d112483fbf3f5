// SPDX-License-Identifier: Apache-2.0
#include "testbench/explore/world.h"

#include <algorithm>

namespace rnicsim::explore {
namespace {

/// Each other end and the hub have two.
std::vector<Wire> wires_between(std::size_t ends) {
    std::vector<Wire> wires;
    for (unsigned end = 0; end < ends; ++end) {
        if (end == kHub) continue;
        wires.push_back({end, kHub, {}});
        wires.push_back({kHub, end, {}});
    }
    return wires;
}

Action step(Step what, unsigned end, std::size_t which = 0) {
    return {what, static_cast<std::uint8_t>(end), static_cast<std::uint8_t>(which)};
}

std::vector<End> ends_of(const Setting& setting) {
    std::vector<End> ends;
    for (unsigned end = 0; end < setting.names.size(); ++end) ends.emplace_back(setting.transport_of(end));
    return ends;
}

}  // namespace

World::World(const Setting& setting)
    : setting_(&setting),
      ends_(ends_of(setting)),
      wires_(wires_between(ends_.size())),
      progress_(setting.plans.size()),
      faults_left_(setting.bounds.faults) {}

bool World::idle(unsigned which, unsigned far) const {
    const End& end = ends_[which];
    if ((end.draining >> far & 1U) != 0) return false;
    const auto of_far = [&](const Question& q) { return setting_->plans[q.transfer].initiator == far; };
    if (std::ranges::any_of(end.staged, [&](const DataJob& job) { return job.header.peer == peer(far); })) return false;
    if (std::ranges::any_of(end.asked, of_far)) return false;
    if (std::ranges::any_of(end.verdicts, of_far, &Verdict::about)) return false;
    const ConnectionTable& table = end.logic.table();
    return std::ranges::none_of(table.active(), [&](ConnectionTable::Index i) {
        return table[i].peer == peer(far) && TransportLogic::has_data(table[i]);
    });
}

bool World::quiet(unsigned one, unsigned other) const {
    const auto carries = [&](const Wire& wire) { return !wire.flights.empty() && wire.joins(one, other); };
    return std::ranges::none_of(wires_, carries) && idle(one, other) && idle(other, one);
}

bool World::over() const {
    const auto all_over = [](const Progress& p) {
        return p.outcome != Outcome::none && !p.running && !p.region_known && !p.registered && !p.retry;
    };
    const auto empty = [](const End& e) {
        return e.staged.empty() && e.asked.empty() && e.verdicts.empty() && e.buffer.used() == 0 &&
               e.logic.table().active().empty();
    };
    return std::ranges::all_of(wires_, [](const Wire& wire) { return wire.flights.empty(); }) &&
           std::ranges::all_of(progress_, all_over) && std::ranges::all_of(ends_, empty);
}

const Transfer* World::peer_of(unsigned end, const Transfer& t) const {
    const ConnectionTable& other = ends_[raw(t.peer)].logic.table();
    for (const ConnectionTable::Index i : other.active()) {
        const Transfer& there = other[i];
        const bool same = there.tid == t.tid && there.role != t.role && there.peer == peer(end);
        if (same && there.phase != Phase::given_up) return &there;
    }
    return nullptr;
}

std::uint32_t World::cost(const Action& action) const {
    if (is_link_fault(action.step)) return 1;
    if (!is_timer(action.step)) return 0;
    const Transfer& t = ends_[action.end].logic.table()[action.which];
    if (t.phase == Phase::given_up && setting_->bounds.forgetful) return 0;
    if (!quiet(action.end, raw(t.peer))) return 1;
    if (action.step == Step::idle_timer) return peer_of(action.end, t) != nullptr ? 1 : 0;
    // Both ends of a read repeat themselves, after a data timer or a release timer. Without new data they do so in
    // turn: no end can use up its tries before the other one has had its first.
    const bool repeats = action.step == Step::data_timer || action.step == Step::release_timer;
    if (!repeats || t.operation == Operation::write) return 0;
    const Transfer* const there = peer_of(action.end, t);
    const bool peer_waits = there != nullptr && (there->data_deadline != kNever || there->release_deadline != kNever);
    return peer_waits && progress_[setting_->find(action.end, t.key())].repeater == repeater(t.role) ? 1 : 0;
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

void World::of_end(unsigned which, std::vector<Action>& out) const {
    const End& end = ends_[which];
    const auto own = std::ranges::count(setting_->plans, which, &Plan::initiator);
    if (end.started < own) out.push_back(step(Step::start, which));
    if (end.staged.size() < setting_->bounds.staged && end.logic.has_data()) out.push_back(step(Step::fetch, which));
    if (!end.staged.empty()) out.push_back(step(Step::transmit, which));
    for (unsigned of = 0; end.draining >> of != 0; ++of) {
        if ((end.draining >> of & 1U) != 0) out.push_back(step(Step::drained, which, of));
    }
    if (!end.asked.empty()) {
        out.push_back(step(Step::registered, which));
        const Progress& p = progress_[end.asked.front().transfer];
        if (wanted(end.asked.front()) && !p.registered && p.failures < setting_->bounds.failures) {
            out.push_back(step(Step::not_registered, which));
        }
    }
    if (!end.verdicts.empty()) out.push_back(step(Step::verdict, which));
    timers(which, out);
}

void World::of_wire(const Wire& wire, std::vector<Action>& out) const {
    if (wire.flights.empty()) return;
    const auto add = [&](Step what) { out.push_back(step(what, wire.from, wire.to)); };
    add(Step::deliver);
    if (faults_left_ == 0) return;
    add(Step::lose);
    add(Step::duplicate);
    if (wire.flights.size() > 1) add(Step::duplicate_late);
    if (wire.flights.size() > 1) add(Step::overtaken);
    if (wire.flights.size() > 2) add(Step::overtaken_by_all);
}

void World::actions(std::vector<Action>& out) const {
    out.clear();
    for (unsigned e = 0; e < ends_.size(); ++e) of_end(e, out);
    for (const Wire& wire : wires_) of_wire(wire, out);
    for (std::size_t i = 0; i < progress_.size(); ++i) {
        const Progress& p = progress_[i];
        if (!p.retry) continue;
        out.push_back(step(Step::retry_succeeds, setting_->plans[i].responder, i));
        if (p.failures < setting_->bounds.failures) {
            out.push_back(step(Step::retry_fails, setting_->plans[i].responder, i));
        }
    }
}

}  // namespace rnicsim::explore
