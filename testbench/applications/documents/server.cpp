// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/documents/ends.h"

#include <utility>

namespace rnicsim::applications::documents {

void Server::state(std::vector<std::uint64_t>& words) const {
    Channel::state(words);
    for (const Slot& of : slots_)
        words.push_back(std::uint64_t{of.request.operation} << 2U | (of.busy ? 1U : 0U) | (of.waits ? 2U : 0U));
}

void Server::look_at(const Message& message, Place document, Actions& actions) {
    actions.mark(message.operation, static_cast<unsigned>(Part::request));
    if (message.type == Type::write) actions.check(document, message.bytes, message.operation);
}

void Server::came(const Message& message, Actions& actions) {
    actions.work(settings().work);
    actions.mark(message.operation, static_cast<unsigned>(Part::server));
    if (message.type == Type::query) return serve(message, actions);
    say({.type = Type::answer, .slot = message.slot, .operation = message.operation, .at = {}}, actions);
}

void Server::serve(const Message& request, Actions& actions) {
    Slot& slot = slots_[request.slot];
    slot.request = request;
    slot.waits = slot.busy;
    if (!slot.busy) send(request.slot, actions);
}

void Server::send(std::uint32_t slot, Actions& actions) {
    Slot& of = slots_[slot];
    of.busy = true;
    actions.produce(data(slot), of.request.bytes, of.request.operation);
    if (!settings().registers_each()) return write_data(of.request, actions);
    actions.register_memory(data(slot), of.request.bytes, slot);
}

void Server::data_sent(std::uint32_t slot, Actions& actions) {
    if (!settings().registers_each()) return is_free(slot, actions);
    actions.deregister_memory(data(slot).area, slot | kGivenUp);
}

void Server::ended(const Event& event, Actions& actions) {
    if ((event.tag & kGivenUp) != 0) return is_free(event.tag & ~kGivenUp, actions);
    write_data(slots_[event.tag].request, actions);
}

void Server::is_free(std::uint32_t slot, Actions& actions) {
    slots_[slot].busy = false;
    if (std::exchange(slots_[slot].waits, false)) send(slot, actions);
}

void Primary::state(std::vector<std::uint64_t>& words) const {
    Server::state(words);
    words.push_back(rounds_);
}

/// New entries come between rounds.
void Primary::came(const Message& message, Actions& actions) {
    if (message.type == Type::pull) return serve(message, actions);
    if (message.type != Type::optime) return;  // how far the secondary is
    actions.mark(message.operation, static_cast<unsigned>(Part::request));
    const std::uint32_t round = rounds_++;
    if (settings().beats(round))
        say({.type = Type::heartbeat, .slot = open(), .operation = message.operation, .at = {}}, actions);
    Message answer = message;
    answer.type = Type::answer;
    answer.optime = 1 + round / settings().news;
    say(answer, actions);
}

}  // namespace rnicsim::applications::documents
