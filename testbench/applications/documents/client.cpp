// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/documents/ends.h"

#include <numeric>
#include <utility>

namespace rnicsim::applications::documents {

Asker::Asker(const TrafficConfig& item) : Channel(item, 0), open_(open()), free_(open()) {
    std::iota(free_.begin(), free_.end(), 0U);
}

void Asker::state(std::vector<std::uint64_t>& words) const {
    Channel::state(words);
    for (const Wanted& of : open_)
        words.push_back(std::uint64_t{of.operation} << 32U | std::uint64_t{of.bytes} << 1U | (of.is ? 1U : 0U));
    words.insert(words.end(), free_.begin(), free_.end());
    words.push_back(waiting_.size());
    for (const Wanted& of : waiting_) words.push_back(of.operation);
    words.push_back((asked_ ? 1U : 0U) | (connected_ ? 2U : 0U));
}

void Asker::asked(const Event& event, Actions& actions) {
    if (is_broken()) return actions.ended(event.tag, Outcome::failed);
    waiting_.push_back({event.tag, event.bytes, true});
    if (connected_) return begin_all(actions);
    if (!std::exchange(asked_, true)) set_up(actions);
}

void Asker::connected(Actions& actions) {
    connected_ = true;
    for (const Wanted& of : waiting_) mark(of.operation, Part::set_up, actions);
    begin_all(actions);
}

void Asker::begin_all(Actions& actions) {
    while (!waiting_.empty() && !free_.empty()) {
        const std::uint32_t slot = free_.front();
        free_.pop_front();
        open_[slot] = waiting_.front();
        waiting_.pop_front();
        mark(open_[slot].operation, Part::wait, actions);
        begin(slot, actions);
    }
}

void Asker::finish(std::uint32_t slot, Actions& actions) {
    open_[slot].is = false;
    actions.ended(open_[slot].operation, Outcome::complete);
    free_.push_back(slot);
    begin_all(actions);
}

void Asker::fails(Actions& actions) {
    for (Wanted& of : open_)
        if (std::exchange(of.is, false)) actions.ended(of.operation, Outcome::failed);
    for (const Wanted& of : std::exchange(waiting_, {})) actions.ended(of.operation, Outcome::failed);
}

void Client::begin(std::uint32_t slot, Actions& actions) {
    if (!settings().registers_each()) return request(slot, actions);
    actions.register_memory(data(slot), wanted(slot).bytes, slot);
}

void Client::request(std::uint32_t slot, Actions& actions) {
    Message message{.slot = slot, .operation = wanted(slot).operation, .bytes = wanted(slot).bytes, .at = {}};
    if (settings().operation == DocumentOperation::query) {
        message.type = Type::query;
        message.at = actions.remote(data(slot));
        expect_data(slot, message.bytes);
    }
    say(message, actions);
}

void Client::came(const Message& message, Actions& actions) {
    mark(message.operation, Part::answer, actions);
    finish(message.slot, actions);
}

void Client::data_came(std::uint32_t slot, Actions& actions) {
    actions.check(data(slot), wanted(slot).bytes, wanted(slot).operation);
    mark(wanted(slot).operation, Part::answer, actions);
    if (!settings().registers_each()) return finish(slot, actions);
    actions.deregister_memory(data(slot).area, slot | kGivenUp);
}

void Client::ended(const Event& event, Actions& actions) {
    if ((event.tag & kGivenUp) != 0) return finish(event.tag & ~kGivenUp, actions);
    request(event.tag, actions);
}

void Secondary::state(std::vector<std::uint64_t>& words) const {
    Asker::state(words);
    words.insert(words.end(), {optime_, pulls_, bytes_});
}

void Secondary::begin(std::uint32_t slot, Actions& actions) {
    say({.type = Type::optime, .slot = slot, .operation = wanted(slot).operation, .at = {}}, actions);
}

void Secondary::came(const Message& message, Actions& actions) {
    if (message.type == Type::heartbeat) {
        Message answer = message;
        answer.type = Type::answer;
        answer.optime = optime_;
        return say(answer, actions);
    }
    const bool all = optime_ == 0 || !settings().sync_once;
    if (!all && message.optime == optime_) {
        mark(message.operation, Part::answer, actions);
        return actions.after(settings().timeout, message.slot);
    }
    pulls_ = message.optime;
    Message request = message;
    request.type = Type::pull;
    request.bytes = bytes_ = all ? settings().history : wanted(message.slot).bytes;
    request.at = actions.remote(data(message.slot));
    expect_data(message.slot, bytes_);
    say(request, actions);
}

void Secondary::data_came(std::uint32_t slot, Actions& actions) {
    actions.check(data(slot), bytes_, wanted(slot).operation);
    mark(wanted(slot).operation, Part::answer, actions);
    optime_ = pulls_;
    actions.work(settings().work);
    finish(slot, actions);
}

void Secondary::ended(const Event& event, Actions& actions) { finish(event.tag, actions); }

}  // namespace rnicsim::applications::documents
