// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/tensor/ends.h"

#include <algorithm>
#include <utility>

namespace rnicsim::applications::tensor {

void Receiver::state(std::vector<std::uint64_t>& words) const {
    Channel::state(words);
    for (const MetaData& of : known_) words.push_back(std::uint64_t{of.version} << 32U | of.bytes);
    for (const Wanted& of : open_)
        words.insert(words.end(),
                     {std::uint64_t{of.operation} << 2U | (of.is ? 1U : 0U) | (of.asks_again ? 2U : 0U), of.bytes});
    for (const Wanted& of : waiting_) words.push_back(of.operation);
    words.push_back((asked_for_address_ ? 1U : 0U) | (connected_ ? 2U : 0U));
}

void Receiver::asked(const Event& event, Actions& actions) {
    if (is_broken()) return actions.ended(event.tag, Outcome::failed);
    waiting_.push_back({true, event.tag, event.bytes});
    if (connected_) return begin_all(actions);
    if (!std::exchange(asked_for_address_, true)) tell_address(actions);
}

void Receiver::connected(Actions& actions) {
    connected_ = true;
    begin_all(actions);
}

void Receiver::begin_all(Actions& actions) {
    for (std::size_t i = 0; i < waiting_.size();) {
        const auto free = std::ranges::find(open_, false, &Wanted::is);
        if (free == open_.end()) return;
        if (!can_begin(i)) {
            ++i;
            continue;
        }
        *free = waiting_[i];
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        ask(Type::request, static_cast<std::uint32_t>(free - open_.begin()), actions);
    }
}

/// Nobody else wants its tensor, who came before.
bool Receiver::can_begin(std::size_t number) const {
    const std::uint32_t tensor = tensor_of(waiting_[number].operation);
    const auto wants = [&](const Wanted& of) { return of.is && tensor_of(of.operation) == tensor; };
    return std::ranges::none_of(open_, wants) &&
           std::none_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(number), wants);
}

void Receiver::ask(Type type, std::uint32_t slot, Actions& actions) {
    const Wanted& of = open_[slot];
    Message message;
    message.type = type;
    message.operation = of.operation;
    message.tensor = tensor_of(of.operation);
    message.slot = slot;
    message.known = known_[message.tensor];
    message.bytes = of.bytes;
    message.at = actions.remote(this->slot(slot));
    say(message, actions);
}

void Receiver::posted(const Message& message, Actions& actions) {
    const Part part = message.type == Type::request ? Part::wait : Part::meta_data;
    actions.mark(message.operation, static_cast<unsigned>(part));
}

void Receiver::came(const Message& message, Actions& actions) {
    Wanted& of = open_[message.slot];
    if (!of.is || of.operation != message.operation || std::exchange(of.asks_again, true))
        return;  // twice: with the fault only
    known_[message.tensor] = message.known;
    ask(Type::re_request, message.slot, actions);
}

void Receiver::tensor_came(std::uint32_t operation, Actions& actions) {
    const auto found =
        std::ranges::find_if(open_, [&](const Wanted& of) { return of.is && of.operation == operation; });
    if (found == open_.end()) return;  // twice: with the fault only
    const auto number = static_cast<std::uint32_t>(found - open_.begin());
    actions.mark(operation, static_cast<unsigned>(Part::content));
    Place at = slot(number);
    if (settings().path != TensorPath::direct) {
        serialize(found->bytes, actions);
        actions.copy(tensor(number), at, found->bytes, found->bytes);
        at = tensor(number);
    }
    actions.check(at, found->bytes, operation);
    found->is = false;
    actions.ended(operation, Outcome::complete);
    begin_all(actions);
}

void Receiver::fails(Actions& actions) {
    for (Wanted& of : open_)
        if (std::exchange(of.is, false)) actions.ended(of.operation, Outcome::failed);
    for (const Wanted& of : std::exchange(waiting_, {})) actions.ended(of.operation, Outcome::failed);
}

void Sender::state(std::vector<std::uint64_t>& words) const {
    Channel::state(words);
    words.insert(words.end(), times_.begin(), times_.end());
    for (const Slot& of : slots_)
        words.push_back(std::uint64_t{of.request.operation} << 3U | (of.busy ? 1U : 0U) | (of.waits ? 2U : 0U) |
                        (of.keeps ? 4U : 0U));
}

void Sender::came(const Message& message, Actions& actions) {
    Slot& slot = slots_[message.slot];
    if (message.type == Type::re_request) {
        if (std::exchange(slot.keeps, false)) send(message, actions);
        return;
    }
    if (slot.request.operation == message.operation && (slot.keeps || slot.busy)) return;  // twice: with the fault only
    slot.request = message;
    if (!slot.busy) return serve(message, actions);
    slot.waits = true;
}

void Sender::slot_is_free(std::uint32_t slot, Actions& actions) {
    slots_[slot].busy = false;
    if (std::exchange(slots_[slot].waits, false)) serve(slots_[slot].request, actions);
}

void Sender::serve(const Message& request, Actions& actions) {
    const MetaData now{settings().version_of(times_[request.tensor]++), request.bytes};
    const bool is_known = now == request.known;
    const bool stays = settings().path != TensorPath::proto && is_known;
    const Place from = stays ? slot(request.slot) : tensor(request.slot);
    actions.produce(from, request.bytes, request.operation);
    const auto copy = [&] { actions.copy(slot(request.slot), from, request.bytes, request.bytes); };
    if (settings().path == TensorPath::proto) {
        serialize(request.bytes, actions);
        copy();
    }
    if (is_known) return send(request, actions);
    copy();  // its clone
    slots_[request.slot].keeps = true;
    Message answer = request;
    answer.type = Type::meta_data;
    answer.known = now;
    say(answer, actions);
}

void Sender::send(const Message& request, Actions& actions) {
    slots_[request.slot].busy = true;
    write_tensor(request.slot, request, actions);
}

}  // namespace rnicsim::applications::tensor
