// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/blocks/broadcast.h"

#include <utility>

namespace rnicsim::applications::blocks {

void Producer::state(std::vector<std::uint64_t>& words) const {
    Session::state(words);
    words.insert(words.end(), {sent_, complete_, done_, (asked_ ? 1U : 0U) | (connected_ ? 2U : 0U), waiting_.size()});
    words.insert(words.end(), waiting_.begin(), waiting_.end());
}

void Producer::asked(const Event& event, Actions& actions) {
    if (is_broken()) return actions.ended(event.tag, Outcome::failed);
    waiting_.push_back(event.bytes);
    if (!std::exchange(asked_, true)) return set_up(actions);
    send_more(actions);
}

void Producer::connected(Actions& actions) {
    connected_ = true;
    for (std::uint32_t i = 0; i < waiting_.size(); ++i) actions.mark(i, static_cast<unsigned>(Part::set_up));
    send_more(actions);
}

void Producer::send_more(Actions& actions) {
    const auto has_room = [this](std::uint32_t behind) { return sent_ - behind < settings().window; };
    while (connected_ && !waiting_.empty() && has_room(done_) && has_room(complete_)) {
        write_block(sent_++, waiting_.front(), actions);
        waiting_.pop_front();
    }
}

void Producer::block_sent(Actions& actions) {
    ++complete_;
    send_more(actions);
}

void Producer::came(const Message& message, Actions& actions) {
    if (message.operation != done_) actions.violates("a verdict is not about the oldest block");
    ++done_;
    if (settings().beats(done_)) say({.type = Type::time}, kTime, actions);
    actions.ended(message.operation, Outcome::complete);
    send_more(actions);
}

void Producer::fails(Actions& actions) {
    for (const std::uint32_t all = sent_ + static_cast<std::uint32_t>(waiting_.size()); done_ != all; ++done_)
        actions.ended(done_, Outcome::failed);
}

void Peer::state(std::vector<std::uint64_t>& words) const {
    Session::state(words);
    words.push_back(came_);
}

void Peer::block_came(std::uint32_t bytes, Actions& actions) {
    const std::uint32_t number = came_++;
    actions.mark(number, static_cast<unsigned>(Part::block));
    actions.check(block(number), bytes, number);
    actions.work(settings().work);
    say({.type = Type::verdict, .operation = number}, kVerdicts + number % settings().window, actions);
}

}  // namespace rnicsim::applications::blocks
