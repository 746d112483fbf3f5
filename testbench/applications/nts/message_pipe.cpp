// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/nts/message_pipe.h"

#include <string>
#include <utility>

namespace rnicsim::nts {

using applications::Event;

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

MessagePipe::MessagePipe(const NtsSettings& settings, Partition partition, const applications::Seat& seat)
    : settings_(&settings),
      partition_(kept_of(std::move(partition))),
      shared_(shared_by(*partition_, seat.side, seat.peer)),
      mine_(queues_of(partition_->me)) {
    if (!partition_->has_rings()) return;
    core_.emplace(*settings_, partition_, seat.side);
    for (const Member& of : partition_->members) of_others_.push_back(queues_of(of));
    told_.resize(partition_->members.size());
}

MessagePipe::Queues MessagePipe::queues_of(const Member& of) {
    const auto behind = static_cast<std::uint32_t>(of.entries_at + Queue::bytes(of.depth));
    return {Queue({kQueues, of.entries_at}, of.depth), Queue({kQueues, behind}, of.depth)};
}

void MessagePipe::start(Actions& actions) {
    if (core_) core_->start(actions);
}

void MessagePipe::on(const Event& event, User& user, Actions& actions) {
    const auto tag = static_cast<Tag>(event.tag & ((1U << kTagBits) - 1));
    const bool is_timer = event.what == Event::What::timer;
    if (event.what == Event::What::woken) return woken(event.tag, actions);
    if (is_timer && tag == Tag::given) {
        look_at(event.tag >> kTagBits, actions);
    } else if (is_timer && tag == Tag::freed) {
        const std::uint32_t member = event.tag >> kTagBits;
        told_[member] += NtsSettings::told_each(partition_->members[member].limit);
        core_->tell_freed(member, told_[member], actions);
    } else if (is_timer && tag == Tag::came) {
        look(user, actions);
    } else if (event.what == Event::What::done && tag == Tag::served) {
        serves_ = false;
        look(user, actions);
    } else if (core_ && event.what != Event::What::asked) {
        core_->on(event, actions);
        give_all(user, actions);
        if (tag == Tag::taken) core_->go_on(actions);
    }
    if (!core_) return;
    give_all(user, actions);
    core_->use_stream(actions);
}

/// Those that come go to their connections.
void MessagePipe::give_all(User& user, Actions& actions) {
    while (const std::optional<RingReader::Whole> message = core_->came()) {
        if (message->member == partition_->size()) {
            core_->hear_freed(*message, actions);
        } else if (partition_->is_shared) {
            hand_on(*message, actions);
        } else {
            give({message->at, message->bytes}, user, actions);
        }
        core_->go_on(actions);
    }
}

void MessagePipe::hand_on(const RingReader::Whole& message, Actions& actions) {
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
void MessagePipe::notify(std::uint32_t tag, bool is_itself, Actions& actions) const {
    if (is_itself) return actions.after(settings_->hand_over, tag);
    actions.wake(shared_, tag);
}

/// Who it is for looks a hand-over later.
void MessagePipe::woken(std::uint32_t tag, Actions& actions) const {
    const auto what = static_cast<Tag>(tag & ((1U << kTagBits) - 1));
    const bool is_mine = tag == number(Tag::came, partition_->own);
    const bool is_of_core = what == Tag::given || what == Tag::freed;
    if (is_mine || (is_of_core && core_)) actions.after(settings_->hand_over, tag);
}

void MessagePipe::look_at(std::uint32_t member, Actions& actions) {
    while (const std::optional<Queue::Entry> message = of_others_[member].given.take(actions))
        core_->send(member, *message, actions);
}

/// One after the other, where each takes time.
void MessagePipe::look(User& user, Actions& actions) {
    while (!serves_) {
        const std::optional<Queue::Entry> message = mine_.came.take(actions);
        if (!message) return;
        if (message->is_lost) {
            user.came(*message, actions);
            continue;
        }
        const std::uint32_t limit = partition_->me.limit;
        if (limit != 0 && settings_->flow_control && mine_.came.taken() % NtsSettings::told_each(limit) == 0)
            notify(number(Tag::freed, partition_->own), core_.has_value(), actions);
        give(*message, user, actions);
        if (settings_->serve == Time{}) continue;
        serves_ = true;
        actions.then(number(Tag::served));
    }
}

/// Between the program's own memory, which nobody else sees, and what is shared.
void MessagePipe::copy(const Queue::Entry& message, Actions& actions) const {
    const Place at{kUser, message.at};
    if (settings_->mode == Mode::origin) actions.copy(at, at, message.bytes, message.bytes);
}

void MessagePipe::give(const Queue::Entry& message, User& user, Actions& actions) {
    copy(message, actions);
    if (settings_->serve != Time{}) actions.work(settings_->serve);
    user.came(message, actions);
}

void MessagePipe::send(const Queue::Entry& message, Actions& actions) {
    copy(message, actions);
    if (!partition_->is_shared) return core_->send(0, message, actions);
    mine_.given.put(message, actions);
    notify(number(Tag::given, partition_->own), core_.has_value(), actions);
}

void MessagePipe::state(std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {std::uint64_t{mine_.given.count()} << 32U | mine_.came.count(), serves_ ? 1U : 0U});
    if (core_) core_->state(words);
    for (const Queues& of : of_others_) words.push_back(std::uint64_t{of.given.count()} << 32U | of.came.count());
}

}  // namespace rnicsim::nts
