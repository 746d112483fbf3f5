// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ends.h"

namespace rnicsim::nts {

using applications::Event;
using applications::Outcome;

RingEnd::RingEnd(const TrafficConfig& item, const applications::Seat& seat)
    : side_(seat.side),
      answers_(applications::nts_of(item).answer),
      pipe_(applications::nts_of(item), partition_of(item, seat), seat) {}

void RingEnd::on(const Event& event, Actions& actions) {
    if (event.what == Event::What::asked) asked(event, actions);
    pipe_.on(event, *this, actions);
}

void RingEnd::asked(const Event& event, Actions& actions) {
    const Member& me = pipe_.me();
    const std::uint32_t at = me.at.at(side_) + event.tag % me.depth * me.most;
    actions.produce({kUser, at}, event.bytes, event.tag);
    pipe_.send({at, event.bytes}, actions);
}

void RingEnd::came(const Queue::Entry& message, Actions& actions) {
    const std::uint32_t operation = operation_++;
    if (message.is_lost) return actions.ended(operation, Outcome::failed);
    actions.check({kUser, message.at}, message.bytes, operation);
    if (side_ == 0) return actions.ended(operation, Outcome::complete);
    actions.mark(operation, static_cast<unsigned>(Part::there));
    if (!answers_) return actions.ended(operation, Outcome::complete);
    pipe_.send(message, actions);
}

void RingEnd::state(std::vector<std::uint64_t>& words) const {
    words.push_back(operation_);
    pipe_.state(words);
}

}  // namespace rnicsim::nts
