// SPDX-License-Identifier: Apache-2.0
#include "model/faults/tape.h"

#include <algorithm>

namespace rnicsim {

TapeFaults::TapeFaults(const FaultTape& tape) {
    for (const TapeEntry& entry : tape) {
        if (const auto* const taped = std::get_if<TapedFrame>(&entry)) {
            links_.insert(taped->frame.link);
            FrameFate& fate = frames_[taped->frame].what;
            switch (taped->fault) {
                case FrameFault::lost: fate.lost = true; break;
                case FrameFault::corrupted: fate.damaged = static_cast<std::uint32_t>(taped->value); break;
                case FrameFault::duplicated: fate.copy = Time{taped->value}; break;
                case FrameFault::delayed: fate.delayed = Time{taped->value}; break;
                case FrameFault::overtaken: fate.overtaken = Time{taped->value}; break;
                case FrameFault::marked: fate.marked = true; break;
            }
        } else if (const auto* const attempt = std::get_if<TapedRegistration>(&entry)) {
            registrations_[{attempt->end, attempt->initiator, attempt->transfer, attempt->attempt}].what = true;
        } else if (const auto* const task = std::get_if<TapedTask>(&entry)) {
            tasks_[{task->end, task->task, task->n}].what = *task;
        } else {
            down_.push_back({std::get<LinkDown>(entry)});
            links_.insert(down_.back().what.link);
        }
    }
}

FrameFate TapeFaults::frame(const FrameName& name, Time sent, bool markable) {
    FrameFate fate;
    for (Once<LinkDown>& down : down_) {
        if (name.link != down.what.link || sent < down.what.from || sent >= down.what.to) continue;
        down.used = true;
        fate.lost = true;
        fate.down = down.what;
    }
    if (fate.lost) return fate;  // nothing else happens to it
    if (const auto found = frames_.find(name); found != frames_.end()) {
        fate = found->second.what;
        fate.marked = fate.marked && markable;
        found->second.used = fate != FrameFate{};
    }
    return fate;
}

std::optional<LinkDown> TapeFaults::outage(unsigned link, Time from, Time until) {
    Once<LinkDown>* first = nullptr;
    for (Once<LinkDown>& down : down_) {
        if (down.what.link != link || down.what.from >= until || down.what.to <= from) continue;
        if (down.what.from <= from) down.used = true;
        if (first == nullptr || down.what.from < first->what.from) first = &down;
    }
    if (first == nullptr) return std::nullopt;
    return first->what;
}

bool TapeFaults::registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer, std::uint32_t attempt) {
    const auto found = registrations_.find({end, initiator, transfer, attempt});
    if (found == registrations_.end()) return false;
    found->second.used = true;
    return true;
}

bool TapeFaults::holds_at_start(unsigned end, std::uint32_t task) {
    const auto found = tasks_.find({end, task, 0});
    return found != tasks_.end() && found->second.what.holds;
}

/// After its last entry a task that holds memory gives it back, and takes no more.
Cycle TapeFaults::task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) {
    const auto found = tasks_.find({end, task, n});
    if (found == tasks_.end()) return holds ? Cycle{1} : kNever;
    found->second.used = true;
    return found->second.what.time;
}

std::uint64_t TapeFaults::unused() const {
    const auto count = [](const auto& entries) {
        return std::ranges::count_if(entries, [](const auto& entry) { return !entry.second.used; });
    };
    return static_cast<std::uint64_t>(count(frames_) + count(registrations_) + count(tasks_) +
                                      std::ranges::count(down_, false, &Once<LinkDown>::used));
}

FrameFate FaultRecorder::frame(const FrameName& name, Time sent, bool markable) {
    const FrameFate fate = source_.frame(name, sent, markable);
    const auto note = [&](FrameFault fault, std::int64_t value) { tape_.emplace_back(TapedFrame{name, fault, value}); };
    if (fate.down) this->note(*fate.down);
    if (fate.lost) {
        if (!fate.down) note(FrameFault::lost, 0);
        return fate;
    }
    if (fate.marked) note(FrameFault::marked, 0);
    if (fate.damaged) note(FrameFault::corrupted, *fate.damaged);
    if (fate.copy) note(FrameFault::duplicated, fate.copy->ps);
    if (fate.delayed != Time{}) note(FrameFault::delayed, fate.delayed.ps);
    if (fate.overtaken != Time{}) note(FrameFault::overtaken, fate.overtaken.ps);
    return fate;
}

void FaultRecorder::note(const LinkDown& down) {
    if (downs_.insert({down.link, down.from, down.to}).second) tape_.emplace_back(down);
}

std::optional<LinkDown> FaultRecorder::outage(unsigned link, Time from, Time until) {
    const std::optional<LinkDown> down = source_.outage(link, from, until);
    if (down && down->from <= from) note(*down);
    return down;
}

bool FaultRecorder::registration_fails(unsigned end, unsigned initiator, std::uint64_t transfer,
                                       std::uint32_t attempt) {
    const bool fails = source_.registration_fails(end, initiator, transfer, attempt);
    if (fails) tape_.emplace_back(TapedRegistration{end, initiator, transfer, attempt});
    return fails;
}

Cycle FaultRecorder::task_time(unsigned end, std::uint32_t task, std::uint64_t n, bool holds) {
    const Cycle time = source_.task_time(end, task, n, holds);
    if (time != kNever) tape_.emplace_back(TapedTask{end, task, n, holds, time});
    return time;
}

}  // namespace rnicsim
