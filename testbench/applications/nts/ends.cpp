// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/ends.h"

#include <string>
#include <utility>

namespace rnicsim::nts {

using applications::Event;
using applications::Outcome;

namespace {

/// Who has no rings does not keep the others.
std::shared_ptr<const Partition> kept_of(Partition partition) {
    if (!partition.has_rings()) partition.members.clear();
    return std::make_shared<const Partition>(std::move(partition));
}

}  // namespace

std::uint32_t shared_by(const Partition& partition, unsigned side, unsigned peer) {
    return 1 + 2 * ((peer * 2 + side) * NtsSettings::kMostPartitions + partition.number);
}

RingEnd::RingEnd(const TrafficConfig& item, const applications::Seat& seat)
    : settings_(&applications::nts_of(item)),
      partition_(kept_of(partition_of(item, seat))),
      side_(seat.side),
      shared_(shared_by(*partition_, seat.side, seat.peer)),
      mine_(queues_of(partition_->me)) {
    if (!partition_->has_rings()) return;
    core_.emplace(*settings_, partition_, side_);
    for (const Member& of : partition_->members) of_others_.push_back(queues_of(of));
    told_.resize(partition_->members.size());
}

RingEnd::Queues RingEnd::queues_of(const Member& of) const {
    const auto behind = static_cast<std::uint32_t>(of.entries_at + Queue::bytes(of.depth));
    return {Queue({kQueues, of.entries_at}, of.depth), Queue({kQueues, behind}, of.depth)};
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
    } else if (is_timer && tag == Tag::freed) {
        const std::uint32_t member = event.tag >> kTagBits;
        told_[member] += NtsSettings::told_each(partition_->members[member].limit);
        core_->tell_freed(member, told_[member], actions);
    } else if (is_timer && tag == Tag::came) {
        look(actions);
    } else if (event.what == Event::What::done && tag == Tag::served) {
        serves_ = false;
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
        if (message->member == partition_->size()) {
            core_->hear_freed(*message, actions);
        } else if (partition_->is_shared) {
            hand_on(*message, actions);
        } else {
            take({message->at, message->bytes}, actions);
        }
        core_->go_on(actions);
    }
}

void RingEnd::hand_on(const RingReader::Whole& message, Actions& actions) {
    Queue& to = of_others_[message.member].came;
    const std::uint32_t limit = partition_->members[message.member].limit;
    const bool is_full = limit != 0 && to.waiting(actions) >= limit;
    if (is_full && settings_->flow_control)
        return actions.violates("a message finds " + std::to_string(limit) +
                                " in its connection's queue, and there is flow control");
    to.put({message.at, message.bytes, is_full}, actions);
    notify(number(Tag::came, message.member), message.member == partition_->own, actions);
}

/// Another program of this host; or this one, as if it were one.
void RingEnd::notify(std::uint32_t tag, bool is_itself, Actions& actions) {
    if (is_itself) return actions.after(settings_->hand_over, tag);
    actions.wake(shared_, tag);
}

/// Who it is for looks a hand-over later.
void RingEnd::woken(std::uint32_t tag, Actions& actions) {
    const auto what = static_cast<Tag>(tag & ((1U << kTagBits) - 1));
    const bool is_mine = tag == number(Tag::came, partition_->own);
    const bool is_of_core = what == Tag::given || what == Tag::freed;
    if (is_mine || (is_of_core && core_)) actions.after(settings_->hand_over, tag);
}

void RingEnd::look_at(std::uint32_t member, Actions& actions) {
    while (const std::optional<Queue::Entry> message = of_others_[member].given.take(actions))
        core_->send(member, *message, actions);
}

/// One after the other, where each takes time.
void RingEnd::look(Actions& actions) {
    while (!serves_) {
        const std::optional<Queue::Entry> message = mine_.came.take(actions);
        if (!message) return;
        if (message->is_lost) {
            actions.ended(operation_++, Outcome::failed);
            continue;
        }
        const std::uint32_t limit = partition_->me.limit;
        if (limit != 0 && settings_->flow_control && mine_.came.taken() % NtsSettings::told_each(limit) == 0)
            notify(number(Tag::freed, partition_->own), core_.has_value(), actions);
        take(*message, actions);
        if (settings_->serve == Time{}) continue;
        serves_ = true;
        actions.then(number(Tag::served));
    }
}

void RingEnd::asked(const Event& event, Actions& actions) {
    const Member& me = partition_->me;
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
    notify(number(Tag::given, partition_->own), core_.has_value(), actions);
}

void RingEnd::take(const Queue::Entry& message, Actions& actions) {
    const std::uint32_t operation = operation_++;
    copy(message.at, message.bytes, actions);
    if (settings_->serve != Time{}) actions.work(settings_->serve);
    actions.check({kUser, message.at}, message.bytes, operation);
    if (side_ == 0) return actions.ended(operation, Outcome::complete);
    actions.mark(operation, static_cast<unsigned>(Part::there));
    if (!settings_->answer) return actions.ended(operation, Outcome::complete);
    copy(message.at, message.bytes, actions);
    send(message, actions);
}

void RingEnd::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {std::uint64_t{operation_} << 1U | (serves_ ? 1U : 0U),
                               std::uint64_t{mine_.given.count()} << 32U | mine_.came.count()});
    if (core_) core_->state(words);
    for (const Queues& of : of_others_) words.push_back(std::uint64_t{of.given.count()} << 32U | of.came.count());
}

}  // namespace rnicsim::nts
