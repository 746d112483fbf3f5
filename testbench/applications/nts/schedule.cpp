// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/schedule.h"

#include <algorithm>

namespace rnicsim::nts {

Schedule::Schedule(const applications::NtsSettings& settings, const Partition& partition)
    : settings_(&settings), waiting_(partition.members.size()) {
    for (const Member& of : partition.members) priorities_.push_back(of.priority);
}

void Schedule::add(std::uint32_t member, std::uint32_t at, std::uint32_t bytes) {
    std::deque<Waiting>& mine = waiting_[member];
    if (mine.empty()) classes_.at(priorities_[member]).members.push_back(member);
    mine.push_back({at, bytes});
}

/// The highest with something to send, unless it has had all its turns; nullptr: nobody has.
Schedule::Class* Schedule::first_class() {
    Class* first = nullptr;
    for (Class& of : classes_) {
        if (of.members.empty()) continue;
        if (first != nullptr) {  // somebody below it waits
            if (settings_->max_rounds == 0) return first;
            if (first->rounds++ < settings_->max_rounds) return first;
            first->rounds = 0;
        }
        first = &of;
    }
    if (first != nullptr) first->rounds = 0;
    return first;
}

std::optional<Message> Schedule::next() {
    if (!turn_) {
        Class* const of = first_class();
        if (of == nullptr) return std::nullopt;
        turn_ = of->members.front();
        of->members.pop_front();
        slots_ = 0;
    }
    const std::uint32_t member = *turn_;
    std::deque<Waiting>& mine = waiting_[member];
    Waiting& now = mine.front();
    const std::uint32_t bytes = std::min(settings_->payload(), now.bytes);
    const bool is_last = bytes == now.bytes;
    const Message slot{now.at, bytes, tag_of(member, is_last)};
    now.at += bytes;
    now.bytes -= bytes;
    ++slots_;
    if (is_last) mine.pop_front();
    const bool is_over = settings_->slicing ? slots_ >= settings_->batch : is_last;
    if (mine.empty() || is_over) {
        turn_.reset();
        if (!mine.empty()) classes_.at(priorities_[member]).members.push_back(member);
    }
    return slot;
}

void Schedule::state(std::vector<std::uint64_t>& words) const {
    words.push_back((turn_ ? std::uint64_t{*turn_} + 1 : 0) << 32U | slots_);
    for (const Class& of : classes_) {
        words.push_back(std::uint64_t{of.rounds} << 32U | of.members.size());
        words.insert(words.end(), of.members.begin(), of.members.end());
    }
    for (const std::deque<Waiting>& of : waiting_) {
        words.push_back(of.size());
        for (const Waiting& one : of) words.push_back(std::uint64_t{one.at} << 32U | one.bytes);
    }
}

}  // namespace rnicsim::nts
