// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/schedule.h"

#include <algorithm>

namespace rnicsim::nts {

Schedule::Schedule(const applications::NtsSettings& settings, const Partition& partition)
    : settings_(&settings), sending_(partition.members.size() + 1) {
    for (std::size_t i = 0; i < partition.members.size(); ++i) {
        sending_[i].priority = partition.members[i].priority;
        if (settings.flow_control) sending_[i].limit = partition.members[i].limit;
    }
}

void Schedule::add(std::uint32_t member, std::uint32_t at, std::uint32_t bytes) {
    sending_[member].messages.push_back({at, bytes});
    stand(member);
}

void Schedule::freed(std::uint32_t member, std::uint64_t taken) {
    Sending& of = sending_.at(member);
    of.taken = std::max(of.taken, taken);
    stand(member);
}

/// It has something to send, and may.
void Schedule::stand(std::uint32_t member) {
    Sending& of = sending_[member];
    if (of.stands || !of.may_go()) return;
    of.stands = true;
    classes_.at(of.priority).members.push_back(member);
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
    Sending& mine = sending_[member];
    Waiting& now = mine.messages.front();
    const std::uint32_t bytes = std::min(settings_->payload(), now.bytes);
    const bool is_last = bytes == now.bytes;
    const Message slot{now.at, bytes, tag_of(member, is_last)};
    if (!mine.is_inside) ++mine.begun;
    mine.is_inside = !is_last;
    now.at += bytes;
    now.bytes -= bytes;
    ++slots_;
    if (is_last) mine.messages.pop_front();
    const bool is_over = settings_->slicing ? slots_ >= settings_->batch : is_last;
    if (!mine.may_go() || is_over) {
        turn_.reset();
        mine.stands = false;
        stand(member);
    }
    return slot;
}

void Schedule::state(std::vector<std::uint64_t>& words) const {
    words.push_back((turn_ ? std::uint64_t{*turn_} + 1 : 0) << 32U | slots_);
    for (const Class& of : classes_) {
        words.push_back(std::uint64_t{of.rounds} << 32U | of.members.size());
        words.insert(words.end(), of.members.begin(), of.members.end());
    }
    for (const Sending& of : sending_) {
        words.insert(words.end(), {of.messages.size(), of.begun << 1U | (of.is_inside ? 1U : 0U), of.taken});
        for (const Waiting& one : of.messages) words.push_back(std::uint64_t{one.at} << 32U | one.bytes);
    }
}

}  // namespace rnicsim::nts
