// SPDX-License-Identifier: Apache-2.0
#include "testbench/applications/kv/server.h"

#include "testbench/applications/kv/client.h"

namespace rnicsim::applications::kv {

bool Server::take(Actions& actions) {
    const std::optional<Command> command = read_command(settings(), text(actions));
    if (!command) return false;
    if (command->is_wrong) {
        close(actions);
        return false;
    }
    actions.mark(command->operation, static_cast<unsigned>(Part::request));
    const bool sets = settings().operation == KvOperation::set;
    if (sets) actions.check(in(command->value_at), command->value, command->operation);
    taken(command->bytes);
    actions.work(settings().server_work);
    send(command->operation, answer_head(settings(), command->value), command->value, !sets, actions);
    actions.mark(command->operation, static_cast<unsigned>(Part::server));
    return true;
}

}  // namespace rnicsim::applications::kv
