// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/client.h"

namespace rnicsim::applications::kv {

void Client::asked(std::uint32_t operation, std::uint32_t bytes, Actions& actions) {
    if (is_broken()) return actions.ended(operation, Outcome::failed);
    open_.push_back(operation);
    actions.work(settings().client_work);
    const bool sets = settings().operation == KvOperation::set;
    send(operation, command_head(settings(), operation, bytes), bytes, sets, actions);
    actions.mark(operation, static_cast<unsigned>(Part::client));
}

bool Client::take(Actions& actions) {
    const std::optional<Answer> answer = read_answer(settings(), text(actions));
    if (!answer) return false;
    if (answer->is_wrong || open_.empty()) {
        close(actions);
        return false;
    }
    const std::uint32_t operation = open_.front();
    open_.pop_front();
    if (settings().operation == KvOperation::get) actions.check(in(answer->value_at), answer->value, operation);
    taken(answer->bytes);
    actions.ended(operation, Outcome::complete);
    return true;
}

void Client::fails(Actions& actions) {
    for (const std::uint32_t operation : open_) actions.ended(operation, Outcome::failed);
    open_.clear();
}

}  // namespace rnicsim::applications::kv
