// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ends.h"

namespace rnicsim::nts {

using applications::Event;
using applications::Outcome;

std::uint32_t shared_by(const Partition& partition, unsigned side, unsigned peer) {
    return 1 + 2 * ((peer * 2 + side) * NtsSettings::kMostPartitions + partition.number);
}

RingEnd::RingEnd(const TrafficConfig& item, const applications::Seat& seat)
    : settings_(&applications::nts_of(item)),
      partition_(std::make_shared<const Partition>(partition_of(item, seat))),
      side_(seat.side),
      shared_(shared_by(*partition_, seat.side, seat.peer)),
      mine_(queues_of(partition_->me())) {
    if (!partition_->has_rings()) return;
    core_.emplace(*settings_, *partition_, side_);
    for (const Member& of : partition_->members) of_others_.push_back(queues_of(of));
}

RingEnd::Queues RingEnd::queues_of(const Member& of) const {
    return {Queue({kQueues, of.entries_at}, of.depth), Queue({kQueues, of.entries_at + of.depth * kWord}, of.depth)};
}

void RingEnd::start(Actions& actions) {
    if (core_) core_->start(actions);
}

void RingEnd::on(const Event& event, Actions& actions) {
    const auto tag = static_cast<Tag>(event.tag & ((1U << kTagBits) - 1));
    const bool is_timer = event.what == Event::What::timer;
    if (event.what == Event::What::woken) return woken(event.tag, actions);
    if (event.what == Event::What::asked) {
        asked(event, actions);
    } else if (is_timer && tag == Tag::given) {
        look_at(event.tag >> kTagBits, actions);
    } else if (is_timer && tag == Tag::came) {
        look(actions);
    } else if (core_) {
        core_->on(event, actions);
        give(actions);
        if (tag == Tag::taken) core_->go_on(actions);
    }
    if (!core_) return;
    give(actions);
    core_->use_stream(actions);
}

/// Those that come go to their connections.
void RingEnd::give(Actions& actions) {
    while (const std::optional<RingReader::Whole> message = core_->came()) {
        const Queue::Entry entry{message->at, message->bytes};
        if (!partition_->is_shared) {
            take(entry, actions);
        } else {
            of_others_[message->member].came.put(entry, actions);
            const std::uint32_t tag = number(Tag::came, message->member);
            if (message->member == partition_->own) {
                actions.after(settings_->hand_over, tag);
            } else {
                actions.wake(shared_, tag);
            }
        }
        core_->go_on(actions);
    }
}

/// Who it is for looks a hand-over later.
void RingEnd::woken(std::uint32_t tag, Actions& actions) {
    const bool is_mine = tag == number(Tag::came, partition_->own);
    const bool is_of_core = static_cast<Tag>(tag & ((1U << kTagBits) - 1)) == Tag::given;
    if (is_mine || (is_of_core && core_)) actions.after(settings_->hand_over, tag);
}

void RingEnd::look_at(std::uint32_t member, Actions& actions) {
    while (const std::optional<Queue::Entry> message = of_others_[member].given.take(actions))
        core_->send(member, *message, actions);
}

void RingEnd::look(Actions& actions) {
    while (const std::optional<Queue::Entry> message = mine_.came.take(actions)) take(*message, actions);
}

void RingEnd::asked(const Event& event, Actions& actions) {
    const Member& me = partition_->me();
    const std::uint32_t at = me.at.at(side_) + event.tag % me.depth * me.most;
    actions.produce({kUser, at}, event.bytes, event.tag);
    copy(at, event.bytes, actions);
    send({at, event.bytes}, actions);
}

/// Between the program's own memory, which nobody else sees, and what is shared.
void RingEnd::copy(std::uint32_t at, std::uint32_t bytes, Actions& actions) {
    if (settings_->mode == Mode::origin) actions.copy({kUser, at}, {kUser, at}, bytes, bytes);
}

void RingEnd::send(const Queue::Entry& message, Actions& actions) {
    if (!partition_->is_shared) return core_->send(0, message, actions);
    mine_.given.put(message, actions);
    const std::uint32_t tag = number(Tag::given, partition_->own);
    if (core_) return actions.after(settings_->hand_over, tag);
    actions.wake(shared_, tag);
}

void RingEnd::take(const Queue::Entry& message, Actions& actions) {
    const std::uint32_t operation = operation_++;
    copy(message.at, message.bytes, actions);
    actions.check({kUser, message.at}, message.bytes, operation);
    if (side_ == 0) return actions.ended(operation, Outcome::complete);
    actions.mark(operation, static_cast<unsigned>(Part::there));
    if (!settings_->answer) return actions.ended(operation, Outcome::complete);
    copy(message.at, message.bytes, actions);
    send(message, actions);
}

void RingEnd::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {operation_, std::uint64_t{mine_.given.count()} << 32U | mine_.came.count()});
    if (core_) core_->state(words);
    for (const Queues& of : of_others_) words.push_back(std::uint64_t{of.given.count()} << 32U | of.came.count());
}

}  // namespace rnicsim::nts
