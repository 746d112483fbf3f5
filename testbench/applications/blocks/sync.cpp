// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/blocks/sync.h"

namespace rnicsim::applications::blocks {

void Node::state(std::vector<std::uint64_t>& words) const {
    Session::state(words);
    words.insert(words.end(), {wanted_, came_, done_});
}

void Node::asked(const Event& event, Actions& actions) {
    if (is_broken()) return actions.ended(event.tag, Outcome::failed);
    if (++wanted_ == 1) return set_up(actions);
    take_all(actions);
}

void Node::connected(Actions& actions) {
    for (std::uint32_t i = 0; i < wanted_; ++i) actions.mark(i, static_cast<unsigned>(Part::set_up));
    ask_for_more(actions);
}

/// Where one part of the chain ends, and the next has to be asked for.
void Node::ask_for_more(Actions& actions) const {
    if (done_ == 0 && chain().asks_for_irreversible())
        return say({.type = Type::sync, .head = done_}, kControl, actions);
    if (done_ == chain().irreversible && chain().asks_for_reversible())
        say({.type = Type::catch_up, .head = done_}, kControl, actions);
}

void Node::block_came(std::uint32_t /*bytes*/, Actions& actions) {
    ++came_;
    take_all(actions);
}

void Node::take_all(Actions& actions) {
    while (done_ != came_ && done_ != wanted_) {
        const std::uint32_t number = done_++;
        actions.mark(number, static_cast<unsigned>(Part::block));
        actions.check(block(number), block_bytes(), number);
        actions.work(settings().work);
        if (settings().beats(done_)) say({.type = Type::time}, kTime, actions);
        acknowledge(actions);
        if (done_ == chain().irreversible) ask_for_more(actions);
        actions.ended(number, Outcome::complete);
    }
}

void Node::fails(Actions& actions) {
    for (; done_ != wanted_; ++done_) actions.ended(done_, Outcome::failed);
}

void Source::state(std::vector<std::uint64_t>& words) const {
    Session::state(words);
    words.insert(words.end(), {has_, allowed_, sent_, complete_, acked_});
}

void Source::connected(Actions& actions) {
    has_ = chain().history;
    if (has_ != chain().all) actions.after(settings().interval, 0);
    if (chain().history == 0) allowed_ = chain().all;
}

void Source::came(const Message& message, Actions& actions) {
    if (message.type == Type::time) return;
    if (message.head != sent_) actions.violates("blocks have been sent that nobody has asked for");
    const bool is_last = message.type == Type::catch_up || !chain().asks_for_reversible();
    allowed_ = is_last ? chain().all : chain().irreversible;
    send_more(actions);
}

void Source::timer(Actions& actions) {
    if (++has_ != chain().all) actions.after(settings().interval, 0);
    send_more(actions);
}

void Source::acknowledged(Actions& actions) {
    ++acked_;
    send_more(actions);
}

void Source::block_sent(Actions& actions) {
    ++complete_;
    send_more(actions);
}

void Source::send_more(Actions& actions) {
    const auto has_room = [this](std::uint32_t behind) { return sent_ - behind < settings().window; };
    while (sent_ < has_ && sent_ < allowed_ && has_room(acked_) && has_room(complete_))
        write_block(sent_++, block_bytes(), actions);
}

}  // namespace rnicsim::applications::blocks
